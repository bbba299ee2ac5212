import { type DocumentEvent, eventSeenBy } from '../model/entity/event.ts';
import { FINDING_EVENT_TYPE } from '../model/entity/event-facts.ts';
import { isTenantPartition } from '../model/entity/partition.ts';
import { EVENT_NOUNS, FINDING_EVENTS, PING, TURN_EVENTS } from '../model/webhooks/webhook-events.ts';

/** The type of the delivery that reports events removed before they were delivered. */
export const HISTORY_LOST = 'history.lost';

/** A message to a receiver, before it is signed. */
export interface Message {
  /** The `webhook-id`, made from the event and the webhook: the same for every attempt. */
  readonly id: string;
  readonly type: string;
  readonly payload: { readonly type: string; readonly timestamp: string; readonly data: object };
}

/** The fields of a webhook that its messages depend on. */
interface Recipient {
  readonly _id: string;
  readonly tenant: string;
  readonly event_types: readonly string[];
}

/** Every message that an event can produce for a webhook, in order, whatever types it subscribes to. */
export function everyMessageOf(
  logged: DocumentEvent,
  { _id: webhook, tenant }: Omit<Recipient, 'event_types'>,
): Message[] {
  const event = eventSeenBy(tenant, logged);
  if (event.type === FINDING_EVENT_TYPE) {
    const type = FINDING_EVENTS[event.kind];
    return type ? [message(event, type, `${event.sequence}_${webhook}`)] : [];
  }
  const noun = EVENT_NOUNS.get(event.type);
  if (noun === undefined) return [];
  const messages = [message(event, `${noun}.${event.kind}`, `${event.sequence}_${webhook}`)];
  for (const turn of event.turns ?? []) {
    messages.push(message(event, TURN_EVENTS[turn], `${event.sequence}_${turn}_${webhook}`));
  }
  return messages;
}

/** The messages of an event that a webhook subscribes to, in order; messages about findings only if it names their types. */
export function messagesOf(event: DocumentEvent, recipient: Recipient): Message[] {
  const { event_types: wanted } = recipient;
  const isWanted = wanted.length === 0 && event.type !== FINDING_EVENT_TYPE;
  return everyMessageOf(event, recipient).filter(({ type }) => isWanted || wanted.includes(type));
}

/** The message that only shows that the receiver can be reached. */
export const pingMessage = (id: string, webhook: string, at: Date): Message => ({
  id,
  type: PING,
  payload: { type: PING, timestamp: at.toISOString(), data: { webhook_id: webhook } },
});

/** `data` is the change as in the change feed, with the reference fields of what changed: never the whole body. */
function message(event: DocumentEvent, type: string, id: string): Message {
  const { sequence, kind, document, workspace, version, at, by, parent, references } = event;
  const data = {
    id: String(sequence),
    kind: kind.toUpperCase(),
    type: event.type,
    workspace: workspace === null || isTenantPartition(workspace) ? null : workspace,
    document_id: document,
    version_id: version,
    at: at.toISOString(),
    by,
    ...(parent && { parent_id: parent }),
    ...(references && Object.keys(references).length > 0 && { references }),
  };
  return { id, type, payload: { type, timestamp: at.toISOString(), data } };
}
