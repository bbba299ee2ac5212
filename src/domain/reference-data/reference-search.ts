import { throwIfInvalid, type Violation } from '../../errors.ts';
import type { StoredReferenceRecord } from '../../model/entity/entity.ts';
import { type Field, type FieldKind, type FieldTable, fieldsOf } from '../../model/fields/fields.ts';
import { whereTableOf } from '../../model/fields/where-table.ts';
import { DATETIME_FORMS, lastInstantOf, requestedInstantOf } from '../../model/instant.ts';
import { normalForm } from '../../model/normal-form.ts';
import { REFERENCE_TYPES, type ReferenceType } from '../../model/reference-data/reference-types.ts';
import type { Condition, Order } from '../../store/entities/query.ts';
import type { ReferenceRecords, Surroundings as StoredSurroundings } from '../../store/entities/reference-records.ts';
import { type ListRequest, MAX_PAGE, refuseLong } from '../lists/list-request.ts';
import type { Listing } from '../lists/page.ts';
import { lengthViolations } from '../lists/text-length.ts';
import { NOT_UNICODE } from '../validation/body-shape.ts';
import { rangeViolations } from '../validation/ranges.ts';

/** The filters of a list of reference records. */
export interface ReferenceSearch extends ListRequest {
  readonly clientCodes?: readonly string[] | null | undefined;
  /** ISO 8601; both are inclusive, and a `dateModifiedTo` that is only a date includes that whole day. */
  readonly dateModifiedFrom?: string | Date | null | undefined;
  readonly dateModifiedTo?: string | Date | null | undefined;
  /** Part of the name, or its beginning; letter case does not matter. */
  readonly nameContains?: string | null | undefined;
  readonly nameStartsWith?: string | null | undefined;
}

/** A place, and how far around it to search. */
export interface Surroundings {
  readonly latitude: number;
  readonly longitude: number;
  readonly withinKm?: number | null | undefined;
  readonly first?: number | null | undefined;
}

/** The fields that the service sets on each record, by their names on the wire. */
const OWN_FIELDS: readonly (readonly [name: string, stored: string, kind: FieldKind])[] = [
  ['clientCode', 'code', 'text'],
  ['dateCreated', 'created_at', 'datetime'],
  ['creator', 'creator', 'text'],
  ['dateModified', 'modified_at', 'datetime'],
  ['modifier', 'modifier', 'text'],
];

/** The fields that filters and orders may name, by type; no envelope, since these records are shown without one. */
const FIELDS: ReadonlyMap<string, FieldTable> = new Map(
  REFERENCE_TYPES.map(({ name, schema }) => [name, fieldTable(fieldsOf(schema))]),
);

function fieldTable(all: FieldTable): FieldTable {
  const bodies = [...all].filter(([, { envelope }]) => !envelope);
  const own = OWN_FIELDS.flatMap(([name, stored, kind]): [string, Field][] => {
    const field = all.get(name);
    return field ? [[name, { ...field, kind, stored, envelope: true, unique: name === 'clientCode' }]] : [];
  });
  return new Map([...bodies, ...own]);
}

const BY_CODE: readonly Order[] = [{ stored: 'code', descending: false }];
const BY_NAME: readonly Order[] = [{ stored: 'name_key', descending: false }, ...BY_CODE];
const MAX_CODES = 1000;
const LAST_CHARACTER = '\u{10ffff}';

/** The query of a search; INVALID_INPUT lists every invalid argument. */
export function referenceListing(
  collection: ReferenceRecords,
  scope: Readonly<Record<string, string>>,
  type: ReferenceType,
  search: ReferenceSearch,
): Listing<StoredReferenceRecord> {
  const { clientCodes, nameContains, nameStartsWith } = search;
  refuseLong({ clientCodes });
  const violations: Violation[] = lengthViolations({ nameContains, nameStartsWith });
  throwIfInvalid(violations);
  const named = Boolean(nameContains || nameStartsWith);
  if ((clientCodes?.length ?? 0) > MAX_CODES) {
    violations.push({ parameter: 'clientCodes', message: `must have at most ${MAX_CODES} codes.` });
  }
  if (clientCodes?.some((code) => !code.isWellFormed())) {
    violations.push({ parameter: 'clientCodes', message: NOT_UNICODE });
  }
  const conditions: readonly Condition[] = [
    ...(clientCodes ? [{ stored: 'code', anyOf: clientCodes }] : []),
    ...modified(search, violations),
    ...beginning(nameStartsWith),
  ];
  throwIfInvalid(violations);
  return {
    collection,
    fields: FIELDS.get(type.name) ?? new Map(),
    scope,
    where: whereTableOf(type),
    conditions,
    ...(nameContains && { containing: { stored: 'name_key', text: compared(nameContains) } }),
    order: named ? BY_NAME : BY_CODE,
    indexed: named ? undefined : scope,
  };
}

/** The form in which parts of names are compared: leading and trailing spaces count. */
const compared = (text: string): string => normalForm(text).toLowerCase();

function modified({ dateModifiedFrom, dateModifiedTo }: ReferenceSearch, violations: Violation[]): Condition[] {
  const from = instant({ dateModifiedFrom }, violations);
  const to = instant({ dateModifiedTo }, violations, lastInstantOf);
  return between('modified_at', from, to);
}

function instant(
  argument: Readonly<Record<string, string | Date | null | undefined>>,
  violations: Violation[],
  meant = requestedInstantOf,
): Date | undefined {
  const [[parameter, value] = ['']] = Object.entries(argument);
  if (value === undefined || value === null) return undefined;
  const found = value instanceof Date ? value : meant(value);
  if (!found) violations.push({ parameter, message: `must be ${DATETIME_FORMS}.` });
  return found;
}

/** Both ends are inclusive; either may be omitted. */
const between = (stored: string, from: string | Date | undefined, to: string | Date | undefined): Condition[] => [
  ...(from === undefined ? [] : [{ stored, than: 'gte', value: from } as const]),
  ...(to === undefined ? [] : [{ stored, than: 'lte', value: to } as const]),
];

function beginning(text: string | null | undefined): Condition[] {
  if (!text) return [];
  const from = compared(text).trimStart();
  const forms = new Set([from, ...['σ', 'ς'].map((sigma) => from.replace(LAST_SIGMA, sigma))]);
  const ranges = [...forms].map((form) => ({ all: between('name_key', form, form + LAST_CHARACTER) }));
  return ranges.length > 1 ? [{ any: ranges }] : ranges;
}

/** A sigma whose lower case depends on what follows the text. */
const LAST_SIGMA = /[σς](?=[^\p{L}]*$)/u;

/** The surroundings in the store's terms; INVALID_INPUT names every invalid argument. */
export function surroundings({ latitude, longitude, withinKm, first }: Surroundings): StoredSurroundings {
  const limit = first ?? 25;
  throwIfInvalid([
    ...rangeViolations({ latitude }, [-90, 90]),
    ...rangeViolations({ longitude }, [-180, 180]),
    ...((withinKm ?? 0) >= 0 ? [] : [{ parameter: 'withinKm', message: 'must not be negative.' }]),
    ...rangeViolations({ first: limit }, [1, MAX_PAGE]),
  ]);
  const within = typeof withinKm === 'number' ? withinKm * 1000 : undefined;
  return { latitude, longitude, within, limit };
}
