import { timelog } from '../document-types/timelog.ts';
import { DOCUMENT_TYPES } from '../document-types.ts';
import { attachmentType } from '../entity/attachment-type.ts';
import type { EntityType } from '../entity/entity-type.ts';
import type { EventKind } from '../entity/event.ts';
import { ATTACHMENT_EVENT_TYPE, FINDING_EVENT_TYPE, type Turn } from '../entity/event-facts.ts';

const NOUN_NAMES: Readonly<Record<string, string>> = { [timelog.name]: 'time_log' };

/** The nouns of webhook event types, by the type of document in the event log. */
export const EVENT_NOUNS: ReadonlyMap<string, string> = new Map([
  ...DOCUMENT_TYPES.map(({ name, noun }) => [name, NOUN_NAMES[name] ?? noun.replaceAll(' ', '_')] as const),
  [ATTACHMENT_EVENT_TYPE, 'attachment'],
]);
const KINDS = ['created', 'changed', 'deleted'] as const;

/** Turns of a document, as events of their own. */
export const TURN_EVENTS: Readonly<Record<Turn, string>> = {
  completed: 'job.completed',
  off_spec: 'quality_result.off_spec',
};

/** Events about findings of the figure audit: sent only to webhooks that ask for them. */
export const FINDING_EVENTS: Readonly<Partial<Record<EventKind, string>>> = {
  created: 'finding.appeared',
  deleted: 'finding.settled',
};

/** The message that only tests whether the receiver can be reached. */
export const PING = 'webhook.ping';

/** The event types that a webhook can subscribe to. */
export const EVENT_TYPES: readonly string[] = [
  ...[...EVENT_NOUNS.values()].flatMap((noun) => KINDS.map((kind) => `${noun}.${kind}`)),
  ...Object.values(TURN_EVENTS),
  ...Object.values(FINDING_EVENTS),
  PING,
];

/** An event type, and the type of document in the event log that it is about. */
export interface DocumentEventType {
  readonly type: string;
  /** The kinds of change it may report; a turn can come with any version. */
  readonly kinds: readonly (typeof KINDS)[number][];
  readonly document: string;
  /** The document's own description. */
  readonly entity: Pick<EntityType, 'noun' | 'schema'>;
}

/** The rule that does not hold, and the document with the fault. */
const FINDING = { noun: 'finding', schema: {} };

/** Every event type but the ping, with its type of document. */
export const DOCUMENT_EVENT_TYPES: readonly DocumentEventType[] = EVENT_TYPES.flatMap((type) => {
  const [finding] = Object.entries(FINDING_EVENTS).find(([, name]) => name === type) ?? [];
  if (finding) return [{ type, kinds: [finding as EventKind], document: FINDING_EVENT_TYPE, entity: FINDING }];
  const [noun, what] = type.split('.');
  const [document] = [...EVENT_NOUNS].find(([, name]) => name === noun) ?? [];
  if (document === undefined) return [];
  const entity = DOCUMENT_TYPES.find(({ name }) => name === document) ?? attachmentType;
  const kinds = KINDS.filter((kind) => kind === what);
  return [{ type, kinds: kinds.length > 0 ? kinds : ['created', 'changed'], document, entity }];
});
