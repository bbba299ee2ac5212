/** What a version did to a document besides changing it. */
export type Turn = 'completed' | 'off_spec';

/** A reference by which people and systems recognize a document. */
export type ReferenceValue = string | number | boolean;

/** The members of bodies that an event keeps, unless they are long: those by which a receiver knows what the event is about. */
export const REFERENCE_MEMBERS = [
  'xref',
  'refNumber',
  'tripNumber',
  'status',
  'activity',
  'setNumber',
  'direction',
  'category',
  'isOffSpec',
  'caption',
  'name',
  'clientReferenceNumber',
  'vendorReferenceNumber',
] as const;

/** The facts of a version that its event keeps. */
export interface EventFacts {
  readonly parent: string | null;
  readonly references: Readonly<Record<string, ReferenceValue>>;
  readonly turns?: readonly Turn[];
}

/** A version as far as its event looks at it. */
export interface FactSource {
  readonly type: string;
  readonly parent_id?: string | null;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A longer text, in bytes of its JSON, is none to recognize anything by; all of them together leave a message well below 20 kB. */
const MAX_BYTES = 1_000;
/** Texts of so many UTF-16 units are never longer, whatever they consist of: six bytes each, and two quotes. */
const SHORT = 166;

/** The facts of a version; `before` is the body of the version before it, undefined for the first. */
export function factsOf(version: FactSource, before?: FactSource['body']): EventFacts {
  const { type, parent_id: parent = null, body = {} } = version;
  const references: Record<string, ReferenceValue> = {};
  for (const name of REFERENCE_MEMBERS) {
    const value = body[name];
    if (typeof value === 'string') {
      if (isShort(value)) references[name] = value.toWellFormed();
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      references[name] = value;
    }
  }
  const turn = turnHeldBy({ type, body });
  const turned = turn !== undefined && (before === undefined || !TURNS[type]?.holds(before));
  return { parent, references, ...(turned && { turns: [turn] }) };
}

/** What a document has become by a version or one before it. */
export function turnHeldBy({ type, body = {} }: FactSource): Turn | undefined {
  const turn = TURNS[type];
  return turn?.holds(body) ? turn.name : undefined;
}

const isShort = (text: string): boolean =>
  text.length <= SHORT || (text.length <= MAX_BYTES && Buffer.byteLength(JSON.stringify(text)) <= MAX_BYTES);

interface TurnRule {
  readonly name: Turn;
  holds(body: Readonly<Record<string, unknown>>): boolean;
}

const TURNS: Readonly<Record<string, TurnRule>> = {
  // The Data API's status is free text, in whatever case its sender writes.
  'svc.inspection.job': { name: 'completed', holds: ({ status }) => /^completed?$/i.test(String(status)) },
  'svc.inspection.qualityResult': { name: 'off_spec', holds: ({ isOffSpec }) => isOffSpec === true },
};

/** The type that findings of the figure audit have in the log. */
export const FINDING_EVENT_TYPE = 'finding';

/** The type that attachments have in the log. */
export const ATTACHMENT_EVENT_TYPE = 'attachment';
