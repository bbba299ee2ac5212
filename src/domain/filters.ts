import type { Fault } from '../errors.ts';
import { canonicalCatalog } from '../model/catalogs.ts';
import { documentType } from '../model/document-types.ts';
import type { Field, FieldTable } from '../model/fields.ts';
import { DATETIME_FORMS, instantOf } from '../model/instant.ts';
import { isUuid } from '../model/uuid.ts';
import type { Comparable, Condition, Order } from '../store/query.ts';

/** One filter as it was asked for: a field, and the texts any of which it may have; null is an absent value. */
export interface FieldFilter {
  readonly field: string;
  readonly anyOf: readonly (string | null | undefined)[];
}

/** One step of an order as it was asked for. */
export interface SortField {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** A filter through a catalog reference: the records with that xref or name have to be found first. */
export interface ThroughCatalog {
  readonly field: Field;
  readonly member: 'xref' | 'name';
  readonly anyOf: readonly (string | null)[];
}

export interface ReadFilters {
  readonly conditions: readonly Condition[];
  readonly through: readonly ThroughCatalog[];
  readonly faults: readonly Fault[];
}

/** Reads filters by the types of their fields (contract §4); the faults name fields and values that do not fit. */
export function readFilters(table: FieldTable, filters: readonly FieldFilter[]): ReadFilters {
  const conditions: Condition[] = [];
  const through: ThroughCatalog[] = [];
  const faults: Fault[] = [];
  for (const { field: name, anyOf: given } of filters) {
    const anyOf = given.map((text) => text ?? null);
    const field = fieldOf(table, name);
    const viaCatalog = field ? undefined : catalogMember(table, name);
    if (viaCatalog) through.push({ ...viaCatalog, anyOf });
    else if (!field) faults.push({ parameter: name, message: 'is not a field of the data model.' });
    else {
      const values = anyOf.map((text) => readValue(field, text));
      const bad = values.find((value) => value.problem !== undefined);
      if (bad?.problem) faults.push({ parameter: name, message: bad.problem });
      else conditions.push({ stored: field.stored, anyOf: values.map(({ value }) => value ?? null) });
    }
  }
  return { conditions, through, faults };
}

/** The default of every list (contract §4): newest first. */
export const NEWEST_FIRST: readonly Order[] = [
  { stored: 'created_at', descending: true },
  { stored: '_id', descending: false },
];

/** Reads an order; it always ends with the id, so that paging never repeats or skips. */
export function readOrder(table: FieldTable, sort: readonly SortField[]): { order: readonly Order[]; faults: Fault[] } {
  if (sort.length === 0) return { order: NEWEST_FIRST, faults: [] };
  const faults: Fault[] = [];
  const order = new Map<string, Order>();
  for (const { field: name, direction } of sort) {
    const field = fieldOf(table, name);
    if (!field && catalogMember(table, name))
      faults.push({
        parameter: 'sort',
        message: `${name} stands in the catalog record: it filters, but does not sort.`,
      });
    else if (!field) faults.push({ parameter: 'sort', message: `${name} is not a field of the data model.` });
    else if (field.inList)
      faults.push({ parameter: 'sort', message: `${name} stands in a list: there is no one value to sort by.` });
    else if (!order.has(field.stored))
      order.set(field.stored, { stored: field.stored, descending: direction === 'desc' });
  }
  const isTotal = sort.some(({ field }) => fieldOf(table, field)?.unique);
  if (!order.has('_id') && !isTotal) order.set('_id', { stored: '_id', descending: false });
  return { order: [...order.values()], faults };
}

/** A field by its name, with or without "body."; envelope fields have no "body.". */
function fieldOf(table: FieldTable, name: string): Field | undefined {
  if (!name.startsWith('body.')) return table.get(name);
  const field = table.get(name.slice('body.'.length));
  return field?.envelope ? undefined : field;
}

function catalogMember(table: FieldTable, name: string): Omit<ThroughCatalog, 'anyOf'> | undefined {
  const [, path, member] = /^(.+)\.(xref|name)$/.exec(name) ?? [];
  const field = path === undefined ? undefined : fieldOf(table, path);
  return field?.catalog && (member === 'xref' || member === 'name') ? { field, member } : undefined;
}

interface ReadValue {
  readonly value?: Comparable;
  readonly problem?: string;
}

function readValue(field: Field, text: string | null): ReadValue {
  if (text === null) return { value: null };
  switch (field.kind) {
    case 'text':
      return { value: canonicalText(field, text) };
    case 'id':
      return isUuid(text) ? { value: text.toLowerCase() } : { problem: `must be a UUID, or null, not "${text}".` };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { problem: `must be true, false or null, not "${text}".` };
    case 'integer':
      return /^-?\d+$/.test(text) ? { value: Number(text) } : { problem: `must be a whole number, not "${text}".` };
    case 'float':
      return text.trim() !== '' && Number.isFinite(Number(text))
        ? { value: Number(text) }
        : { problem: `must be a number, not "${text}".` };
    case 'datetime': {
      const instant = instantOf(text);
      return instant ? { value: instant } : { problem: `must be ${DATETIME_FORMS}, not "${text}".` };
    }
  }
}

/** Aliases of type names and catalogs are accepted everywhere (contract §11). */
function canonicalText(field: Field, text: string): string {
  if (field.stored === 'type') return documentType(text)?.name ?? text;
  if (field.stored === 'body.xtype') return canonicalCatalog(text);
  return text;
}
