import { closest, distance } from 'fastest-levenshtein';
import type { Violation } from '../../errors.ts';
import { canonicalCatalog, nameKey } from '../../model/catalogs.ts';
import { documentType } from '../../model/document-types.ts';
import { catalogRecordType } from '../../model/entity/entity-types.ts';
import { exactNumber } from '../../model/exact-json.ts';
import type { Field, FieldKind, FieldTable } from '../../model/fields/fields.ts';
import { typeOfSchema } from '../../model/fields/schema-ids.ts';
import { DATETIME_FORMS, hintOnOffset, requestedInstantOf } from '../../model/instant.ts';
import { isUuid } from '../../model/uuid.ts';
import type { BooleanExpression, Comparable, Comparison, ValueType } from '../../store/entities/query.ts';

/** One filter as requested: a field, and the texts it may match; null matches an absent value. */
export interface FieldFilter {
  readonly field: string;
  readonly anyOf: readonly (string | null | undefined)[];
}

/** A condition on a related entity: the ids of the matching entities have to be found first. */
export interface Relation {
  /** Where the id of the other entity is stored. */
  readonly stored: string;
  /** The type name of the related entity. */
  readonly to: string;
  readonly catalog?: string | undefined;
  readonly match: ParsedFilter;
  /** Whether having no related entity matches, too. */
  readonly orAbsent?: boolean;
  /** The parameter of the request, if the relation has its own. */
  readonly parameter?: string;
}

/** A filter parsed by the types of its fields; the common form of all kinds of filters. */
export type ParsedFilter = BooleanExpression<Comparison | Relation>;

export interface ParsedFilters {
  readonly readings: readonly ParsedFilter[];
  readonly violations: readonly Violation[];
}

/** Parses filters by the types of their fields (contract §4); the violations name invalid fields and values. */
export function parseFilters(table: FieldTable, filters: readonly FieldFilter[]): ParsedFilters {
  const readings: ParsedFilter[] = [];
  const violations: Violation[] = [];
  for (const { field: name, anyOf: given } of filters) {
    const anyOf = given.map((text) => text ?? null);
    const field = fieldOf(table, name);
    const viaCatalog = field ? undefined : throughCatalog(table, name, anyOf);
    if (viaCatalog) readings.push(viaCatalog);
    else if (!field) {
      const object = objectAt(table, name);
      if (object && anyOf.every((text) => text === null)) readings.push({ stored: object.stored, lacks: 'object' });
      else
        violations.push({
          parameter: name,
          message: object ? onlyNull(object) : unknownField(table, name, violations),
        });
    } else {
      const values = anyOf.map((text) => parseValue(field, text));
      const bad = values.find((value) => value.problem !== undefined);
      if (bad?.problem) violations.push({ parameter: name, message: bad.problem });
      else
        readings.push(
          oneOf(
            field,
            values.map(({ value }) => value ?? null),
          ),
        );
    }
  }
  return { readings, violations };
}

/** Anything that refers to a record lists it in its indexed `refs`. */
function oneOf(field: Field, anyOf: readonly Comparable[]): ParsedFilter {
  const { stored, catalog, unchecked, inList, object } = field;
  const fits = { stored, anyOf };
  if (catalog === undefined) return unchecked && !inList ? comparedByType(field, fits) : fits;
  if (!anyOf.includes(null)) return { all: [{ stored: 'refs', anyOf }, fits] };
  if (object === undefined) return fits;
  return { any: [lacking(object), { stored, anyOf: anyOf.filter((id) => id !== null) }] };
}

const lacking = (object: string): ParsedFilter => ({ stored: object, lacks: 'object' });

/** The stored type of each kind of field, as it is compared. */
export const STORED_TYPES: Readonly<Record<FieldKind, ValueType>> = {
  ...{ text: 'string', id: 'string', datetime: 'date' },
  ...{ integer: 'number', float: 'number', boolean: 'bool' },
};

interface Compared {
  readonly stored: string;
  readonly kind: FieldKind;
}

/** A comparison of a field whose stored value may have any type: a value of the wrong type counts as absent. */
export function comparedByType({ stored, kind }: Compared, filter: ParsedFilter): ParsedFilter {
  const isThere: ParsedFilter = { stored, has: STORED_TYPES[kind] };
  if ('noneOf' in filter) return { none: [comparedByType({ stored, kind }, { stored, anyOf: filter.noneOf })] };
  if ('than' in filter || 'containing' in filter) return { all: [filter, isThere] };
  if (!('anyOf' in filter)) return filter;
  const values = filter.anyOf.filter((value) => value !== null);
  const isOne: ParsedFilter = { all: [{ stored, anyOf: values }, isThere] };
  return values.length === filter.anyOf.length ? isOne : { any: [isOne, { none: [isThere] }] };
}

/** A field by name, with or without "body."; envelope fields have no "body.". */
export function fieldOf(table: FieldTable, name: string): Field | undefined {
  if (!name.startsWith('body.')) return table.get(name);
  const field = table.get(name.slice('body.'.length));
  return field?.envelope ? undefined : field;
}

/** How many errors of a request may be there before one says no more what a name resembles, which takes a while to find. */
const GUESSES = 20;

/**
 * Says that no field has this name, and which one it resembles: but for letter case and underscores, as `createdAt` does, or a typing error.
 * `before` are the errors that the request has so far.
 */
export function unknownField(table: FieldTable, name: string, before: readonly Violation[]): string {
  const meant = before.length < GUESSES ? resembling(table, name) : undefined;
  return meant ? `is not a field of the data model; did you mean ${meant}?` : 'is not a field of the data model.';
}

/** No field has a name of this length, and comparing longer ones with all fields would take long. */
const LONGEST_NAME = 100;
/** How many of its characters may be wrong, and in a short name one for each three. */
const MOST_TYPOS = 2;

function resembling(table: FieldTable, name: string): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const known = [...table].flatMap(([path, { catalog }]) =>
    catalog === undefined ? [path] : [path, `${path}.name`, `${path}.xref`],
  );
  const written = plain(name);
  const like = closest(written, known.map(plain));
  const allowed = Math.min(MOST_TYPOS, Math.floor(written.length / 3));
  return distance(written, like) <= allowed ? known.find((path) => plain(path) === like) : undefined;
}

const plain = (name: string): string =>
  name
    .replace(/^body\./, '')
    .replaceAll('_', '')
    .toLowerCase();

/** How many members of an object an error lists. */
const NAMED = 3;

/** An object, or a list of objects, of the data model. */
export interface FieldGroup {
  readonly stored: string;
  /** Some of its members, for error texts. */
  readonly named: string;
  readonly inList: boolean;
}

/** What has a name that several fields begin with: filters and orders must name one of these. */
export function objectAt(table: FieldTable, name: string): FieldGroup | undefined {
  const path = name.replace(/^body\./, '');
  const members = [...table.values()].filter((field) => !field.envelope && field.name.startsWith(`${path}.`));
  if (members.length === 0) return undefined;
  const named = members.slice(0, NAMED).map((field) => field.name);
  const some = members.length > NAMED ? [...named, '…'] : named;
  return { stored: `body.${path}`, named: some.join(', '), inList: members.every(({ inList }) => inList) };
}

const onlyNull = ({ named }: FieldGroup): string =>
  `is an object or a list of them: only null fits. To compare values, name one of its fields: ${named}.`;

/** A filter by the xref or name of a referenced record; a record without an xref counts as absent. */
function throughCatalog(table: FieldTable, name: string, anyOf: readonly (string | null)[]): ParsedFilter | undefined {
  const [, path, member] = /^(.+)\.(xref|name)$/.exec(name) ?? [];
  const field = path === undefined ? undefined : fieldOf(table, path);
  if (!field?.catalog) return undefined;
  const names = anyOf.filter((text) => text !== null);
  const match = member === 'xref' ? { stored: 'xref', anyOf } : anyName('body.name', 'name_key', names);
  const to = catalogRecordType.name;
  const { stored, catalog, object } = field;
  const relation = { stored, to, catalog, match, orAbsent: anyOf.includes(null), parameter: name };
  return object === undefined ? relation : orAsSent({ object, relation }, { stored: `${object}.${member}`, anyOf });
}

interface ObjectRelation {
  readonly object: string;
  readonly relation: Relation;
}

/** References that are objects have records only in a job of Shape A in a workspace; all others match by what was sent. */
function orAsSent({ object, relation }: ObjectRelation, sent: ParsedFilter): ParsedFilter {
  const hasId: ParsedFilter = { none: [{ stored: relation.stored, lacks: 'id' }] };
  const hasRecords: ParsedFilter = { all: [{ stored: 'bridge.shape', anyOf: ['A'] }, hasId] };
  return {
    any: [
      { all: [hasRecords, relation] },
      { all: [{ none: [hasRecords] }, sent] },
      ...(relation.orAbsent ? [lacking(object)] : []),
    ],
  };
}

/** Names are compared exactly, but looked up by their case-folded form, which is indexed. */
export const anyName = (stored: string, folded: string, texts: readonly string[]): ParsedFilter => ({
  all: [
    { stored: folded, anyOf: texts.map(nameKey) },
    { stored, anyOf: texts },
  ],
});

interface ParsedValue {
  readonly value?: Comparable;
  readonly problem?: string;
}

/** Numbers as JSON writes them. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Parses a text by the kind of the field it is compared with; null is an absent value. */
export function parseValue(
  field: { readonly kind: FieldKind; readonly stored: string },
  text: string | null,
): ParsedValue {
  if (text === null) return { value: null };
  switch (field.kind) {
    case 'text':
      return { value: canonicalText(field.stored, text) };
    case 'id':
      if (field.stored === 'type' && isUuid(text)) return { value: typeOfSchema(text.toLowerCase()) ?? text };
      return isUuid(text) ? { value: text.toLowerCase() } : { problem: `must be a UUID, or null, not "${text}".` };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { problem: `must be true, false or null, not "${text}".` };
    case 'integer':
    case 'float':
      return numberOf(field.kind, text);
    case 'datetime': {
      const instant = requestedInstantOf(text);
      return instant
        ? { value: instant }
        : { problem: `must be ${DATETIME_FORMS}, not "${text}"${hintOnOffset(text)}.` };
    }
  }
}

const NUMBERS = {
  integer: 'a whole number as JSON has it (42, -3, 1e3)',
  float: 'a number as JSON has it (42, -0.5, 1e3)',
};

/** Only the exact number that was requested is compared (contract §13). */
function numberOf(kind: keyof typeof NUMBERS, text: string): ParsedValue {
  const value = NUMBER.test(text) ? exactNumber(text) : undefined;
  if (value !== undefined && !Number.isFinite(value))
    return { problem: `must be a number that a double holds without changing its digits, or null, not "${text}".` };
  const fits = value !== undefined && (kind === 'float' || Number.isInteger(value));
  return fits ? { value } : { problem: `must be ${NUMBERS[kind]}, or null, not "${text}".` };
}

/** Aliases of type names and catalogs are accepted everywhere (contract §11). */
function canonicalText(stored: string, text: string): string {
  if (stored === 'type') return documentType(text)?.name ?? text;
  if (stored === 'body.xtype' || stored === 'xtype') return canonicalCatalog(text);
  return text;
}
