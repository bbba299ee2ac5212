/** A notable state that a document enters with a version. */
export type Turn = 'completed' | 'off_spec';

/** A reference that people and systems recognize a document by. */
type ReferenceValue = string | number | boolean;

/** The body members that an event keeps, unless they are long: they tell a receiver what the event is about. */
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

/** The parts of a version that its event depends on. */
export interface FactSource {
  readonly type: string;
  readonly parent_id?: string | null;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A longer text, in bytes of JSON, identifies nothing; with this limit, all references together leave a message well below 20 kB. */
const MAX_BYTES = 1_000;
/** Texts of at most this many UTF-16 units never exceed that: six bytes each, and two quotes. */
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

/** The turn whose condition this version meets, whether or not an earlier version did. */
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
  // The Data API's status is free text, in any letter case.
  'svc.inspection.job': { name: 'completed', holds: ({ status }) => /^completed?$/i.test(String(status)) },
  'svc.inspection.qualityResult': { name: 'off_spec', holds: ({ isOffSpec }) => isOffSpec === true },
};

/** The type of the figure audit's findings in the event log. */
export const FINDING_EVENT_TYPE = 'finding';

/** The type of attachments in the event log. */
export const ATTACHMENT_EVENT_TYPE = 'attachment';
