import type { FilterStyle } from '../../declare/family.ts';
import type { JsonSchema } from '../../declare/json-schema.ts';
import type { Parameter } from '../../declare/openapi-parts.ts';
import { type DescriptionContext, described, queryParameter, type SourceKind } from '../source-kind.ts';

/** A filter with a dedicated parameter: its field, and whether the word `none` means "has no value". */
export interface NamedFilter {
  readonly field: string;
  readonly none?: boolean;
  readonly description?: string;
}

/** The filters of a list. */
export interface FiltersSource {
  readonly from: 'filters';
  readonly named: Readonly<Record<string, NamedFilter>>;
}

/** The filters of a list in the family's style, as a list of FieldFilter; `named` ones have a dedicated parameter. */
export const fromFilters = (named: FiltersSource['named'] = {}): FiltersSource => ({ from: 'filters', named });

/** The field that a query parameter filters by: `filter[status]` or `status`, by style; undefined for other parameters. */
export function filterField(name: string, style: FilterStyle): string | undefined {
  if (style === 'bare') return name;
  if (style === 'none' || !name.startsWith('filter[') || !name.endsWith(']') || name.length < 9) return undefined;
  return name.slice(7, -1);
}

/** Every filter of the query string; `null` matches absent values, a repeated parameter any of its values. */
export const filters: SourceKind<FiltersSource> = {
  bind: ({ named }, { variable, family, namedParameters }) => ({
    query: ({ query }, binding) => {
      if (query.size === 0) return;
      const found: { field: string; anyOf: (string | null)[] }[] = [];
      for (const [name, values] of query) {
        const own = Object.hasOwn(named, name) ? named[name] : undefined;
        const field = own?.field ?? (namedParameters.has(name) ? undefined : filterField(name, family.filterStyle));
        if (field === undefined) continue;
        const [, bare] = BRACKETED.exec(family.filterStyle === 'bare' ? name : '') ?? [];
        if (bare !== undefined) {
          binding.violations.push({ parameter: name, message: `is the form of v2: this API writes ${bare}=value.` });
          continue;
        }
        found.push({ field, anyOf: values.map((value) => (isAbsent(value, own) ? null : value)) });
        binding.parameterOfField ??= new Map();
        binding.parameterOfField.set(field, name);
      }
      if (found.length > 0) binding.variables[variable] = found;
    },
  }),
  parameters: ({ named }, context) => [
    ...Object.entries(named).map(([name, { description }]) =>
      queryParameter(name, { type: 'array', items: { type: 'string' } }, { ...described(description), explode: true }),
    ),
    ...anyField(context, Object.keys(named)),
  ],
  parameterNames: ({ named }) => Object.keys(named),
};

/** A filter as v2 writes it, and its field. */
const BRACKETED = /^filter\[(.+)\]$/;

const isAbsent = (value: string, own: NamedFilter | undefined): boolean =>
  value === 'null' || (own?.none === true && value === 'none');

/** The parameters that document filters on any field; none if the family has no filters. */
function anyField({ family: { filterStyle }, filters }: DescriptionContext, named: readonly string[]): Parameter[] {
  if (filterStyle === 'none') return [];
  if (filterStyle === 'bare') return bareFields(filters(), named);
  const description =
    'Any field of the data model, as filter[field]=value. A repeated parameter matches any of its values, null an absent value.';
  const style = { style: 'deepObject', explode: true };
  return [{ name: 'filter', in: 'query', description, ...style, example: {}, schema: filters('reference') }];
}

/** A parameter for each field by its shorter name; `body.status` means the same as `status`. */
function bareFields({ properties = {} }: JsonSchema, named: readonly string[]): Parameter[] {
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>)
    .filter(([name]) => !name.startsWith('body.') && !named.includes(name))
    .map(([name, { description, ...items }]) => {
      const more = { ...described(description as string | undefined), explode: true };
      return queryParameter(name, { type: 'array', items }, more);
    });
}
