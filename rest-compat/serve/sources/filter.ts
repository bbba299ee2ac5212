import type { FilterStyle } from '../../declare/family.ts';
import type { NamedFilter } from '../../declare/source.ts';
import type { Bind } from './bind.ts';

/** The field that a query parameter filters by in that style: `filter[status]` or `status`; undefined for others. */
export function filterField(name: string, style: FilterStyle): string | undefined {
  if (style === 'bare') return name;
  if (style === 'none' || !name.startsWith('filter[') || !name.endsWith(']') || name.length < 9) return undefined;
  return name.slice(7, -1);
}

interface Filters {
  readonly named: Readonly<Record<string, NamedFilter>>;
  readonly style: FilterStyle;
  /** Parameters with a meaning of their own, which are not fields. */
  readonly known: ReadonlySet<string>;
}

/** Collects every filter of a query string; `null` means an absent value, a repeated parameter any of its values. */
export function filterBinder(variable: string, { named, style, known }: Filters): Bind {
  return (from, variables) => {
    if (from.query.size === 0) return;
    const filters: { field: string; anyOf: (string | null)[] }[] = [];
    for (const [name, values] of from.query) {
      const own = Object.hasOwn(named, name) ? named[name] : undefined;
      const field = own?.field ?? (known.has(name) ? undefined : filterField(name, style));
      if (field === undefined || (own && values.every((value) => value === ''))) continue;
      filters.push({ field, anyOf: values.map((value) => (isAbsent(value, own) ? null : value)) });
      from.sent ??= new Map();
      from.sent.set(field, name);
    }
    if (filters.length > 0) variables[variable] = filters;
  };
}

const isAbsent = (value: string, own: NamedFilter | undefined): boolean =>
  value === 'null' || (own?.none === true && value === 'none');
