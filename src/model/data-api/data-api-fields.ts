import type { FieldTable } from '../fields/fields.ts';
import type { Schema } from '../fields/schema-parts.ts';
import { DATA_API_FORMS } from './data-api-job.ts';

/** Members of Shape B that the other APIs have elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'cargo.quantity.value': 'cargo.quantity',
  'cargo.quantity.uom': 'cargo.uom',
};

/** The fields of a job, and the paths by which the Data API's own shapes lead to them (contract §13). */
export function withDataApiPaths(fields: FieldTable): FieldTable {
  const table = new Map(fields);
  for (const [name, there] of Object.entries(ELSEWHERE)) {
    const field = fields.get(there);
    if (field) table.set(name, { ...field, name });
  }
  for (const [name, field] of [...table]) {
    if (!field.catalog) continue;
    table.set(name, { ...field, members: membersAt(name.split('.'), DATA_API_FORMS.single.schema) });
    table.set(`${name}.id`, { ...field, name: `${name}.id`, catalog: undefined });
  }
  return table;
}

/** What Shape B has of a reference; none of one that it does not know. */
const membersAt = ([member = '', ...further]: readonly string[], { properties }: Schema): readonly string[] => {
  const part = properties?.[member];
  if (further.length > 0) return part ? membersAt(further, part) : [];
  return Object.keys(part?.properties ?? {});
};
