import { type DocumentEvent, eventSeenBy } from '../model/entity/event.ts';
import { FINDING_EVENT_TYPE } from '../model/entity/event-facts.ts';
import { isTenantPartition } from '../model/entity/partition.ts';
import { EVENT_NOUNS, FINDING_EVENTS, PING, TURN_EVENTS } from '../model/webhooks/webhook-events.ts';

/** The type of the delivery that tells of events which were removed before they were delivered. */
export const HISTORY_LOST = 'history.lost';

/** A message to a receiver, before it is signed. */
export interface Message {
  /** The `webhook-id`: the event and the webhook, the same for every attempt. */
  readonly id: string;
  readonly type: string;
  readonly payload: { readonly type: string; readonly timestamp: string; readonly data: object };
}

/** A webhook, as far as its messages depend on it. */
export interface Recipient {
  readonly _id: string;
  readonly tenant: string;
  readonly event_types: readonly string[];
}

/** Every message that an event can make for a webhook, in their order, whatever it asks for. */
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

/** The messages of an event that a webhook asks for, in their order: of findings only those whose types it names. */
export function messagesOf(event: DocumentEvent, recipient: Recipient): Message[] {
  const { event_types: wanted } = recipient;
  const isWanted = wanted.length === 0 && event.type !== FINDING_EVENT_TYPE;
  return everyMessageOf(event, recipient).filter(({ type }) => isWanted || wanted.includes(type));
}

/** The message that tells a receiver nothing but that it is reached. */
export const pingMessage = (id: string, webhook: string, at: Date): Message => ({
  id,
  type: PING,
  payload: { type: PING, timestamp: at.toISOString(), data: { webhook_id: webhook } },
});

/** `data` is the change as the feed has it, and the reference fields of what changed: never the whole body. */
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
