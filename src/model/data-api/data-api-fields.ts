import { JOB_TYPE } from '../document-types/job.ts';
import type { DocumentType } from '../entity/entity-type.ts';
import { END_OF_WORKSPACES } from '../entity/partition.ts';
import { type FieldTable, fieldsOf } from '../fields/fields.ts';
import type { Schema } from '../fields/schema-parts.ts';
import { DATA_API_FORMS } from './data-api-job.ts';

/** Members of Shape B that have another path in the other APIs. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'cargo.quantity.value': 'cargo.quantity',
  'cargo.quantity.uom': 'cargo.uom',
};

/** The field that jobs without a workspace lack: they are stored in their tenant's partition. */
const IN_WORKSPACE = 'meta.workspace';

/** Every field that documents of this type can have, in any of the APIs. */
export function fieldsOfDocument(type: DocumentType): FieldTable {
  const fields = new Map([...fieldsOf(type.extensionSchema ?? {}), ...fieldsOf(type.schema)]);
  return type.name === JOB_TYPE ? withDataApiPaths(fields) : fields;
}

/**
 * Adds to the fields of a job the paths that they have in the Data API's own shapes (contract §13). Some members of those
 * shapes may have a value of any type.
 */
function withDataApiPaths(fields: FieldTable): FieldTable {
  const table = new Map(fields);
  for (const [name, there] of Object.entries(ELSEWHERE)) {
    const field = fields.get(there);
    if (field) table.set(name, { ...field, name });
  }
  const workspace = table.get(IN_WORKSPACE);
  if (workspace) table.set(IN_WORKSPACE, { ...workspace, absentFrom: END_OF_WORKSPACES });
  for (const [name, field] of [...table]) {
    if (!field.catalog) {
      const part = partAt(name.split('.'));
      if (!field.envelope && part?.['x-unchecked']) table.set(name, { ...field, unchecked: true });
      continue;
    }
    table.set(name, { ...field, members: membersAt(name.split('.')) });
    table.set(`${name}.id`, { ...field, name: `${name}.id`, catalog: undefined });
  }
  return table;
}

/** The members of a reference in Shape B; none if Shape B does not have the reference. */
const membersAt = (path: readonly string[]): readonly string[] => Object.keys(partAt(path)?.properties ?? {});

/** The schema of a member of Shape B. */
const partAt = (path: readonly string[]): Schema | undefined =>
  path.reduce<Schema | undefined>((part, member) => part?.properties?.[member], DATA_API_FORMS.single.schema);
