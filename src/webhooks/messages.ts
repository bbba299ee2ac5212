import { timelog } from '../model/document-types/timelog.ts';
import { DOCUMENT_TYPES } from '../model/document-types.ts';
import type { DocumentEvent } from '../model/entity/event.ts';
import { ATTACHMENT_EVENT_TYPE } from '../model/entity/event-facts.ts';
import { isTenantPartition } from '../model/entity/partition.ts';

/** The nouns of the event types, by the type of a document in the log: those of all that the feed tells of. */
const NOUNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(DOCUMENT_TYPES.map(({ name, noun }) => [name, noun.replaceAll(' ', '_')])),
  [timelog.name]: 'time_log',
  [ATTACHMENT_EVENT_TYPE]: 'attachment',
};
const KINDS = ['created', 'changed', 'deleted'] as const;

export const PING = 'webhook.ping';
/** The type of the delivery that tells of events which were removed before they were delivered. */
export const HISTORY_LOST = 'history.lost';

/** What a document became by a version, as an event of its own. */
const TURNS = { completed: 'job.completed', off_spec: 'quality_result.off_spec' } as const;

/** The types of events that a webhook can ask for. */
export const EVENT_TYPES: readonly string[] = [
  ...Object.values(NOUNS).flatMap((noun) => KINDS.map((kind) => `${noun}.${kind}`)),
  ...Object.values(TURNS),
  PING,
];

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
  readonly event_types: readonly string[];
}

/** The messages of an event to a webhook, in their order; none if it did not ask for them. */
export function messagesOf(event: DocumentEvent, { _id: webhook, event_types: wanted }: Recipient): Message[] {
  const noun = NOUNS[event.type];
  if (noun === undefined) return [];
  const messages = [message(event, `${noun}.${event.kind}`, `${event.sequence}_${webhook}`)];
  for (const turn of event.turns ?? []) {
    messages.push(message(event, TURNS[turn], `${event.sequence}_${turn}_${webhook}`));
  }
  return messages.filter(({ type }) => wanted.length === 0 || wanted.includes(type));
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
