import type { DocumentType } from '../entity/entity-type.ts';
import { ENVELOPE } from '../entity/entity-types.ts';
import type { Schema } from './schema-parts.ts';

export type FieldKind = 'text' | 'integer' | 'float' | 'boolean' | 'datetime' | 'id';

/** One field of a data model that filters and sorts may name. */
export interface Field {
  /** The requested name: dotted, without "body.". */
  readonly name: string;
  readonly kind: FieldKind;
  /** The description, for OpenAPI and GraphQL. */
  readonly description: string;
  readonly catalog: string | undefined;
  /** For a reference kept as an object around its record's id: where the object is stored. */
  readonly object?: string;
  /** For references of a job: their members in the Data API beyond the record's id, xref and name. */
  readonly members?: readonly string[];
  /** Set if the path passes through an array: such a field can be filtered, but has no single value to sort by. */
  readonly inList: boolean;
  /** The stored path of the comparable value; datetimes and fields with an alias have one outside the body. */
  readonly stored: string;
  readonly envelope: boolean;
  /** Unique within a list, so that no further sort key is needed. */
  readonly unique?: boolean;
  /** A body may have a value of any type here: one of the families does not know the field. */
  readonly unchecked?: boolean;
  /** Texts that do not sort before this one mean that there is no value. */
  readonly absentFrom?: string;
}

/** The data model as a list: dotted names to fields. */
export type FieldTable = ReadonlyMap<string, Field>;

const ENVELOPE_STORED: Readonly<Record<string, string>> = { id: '_id' };

/** Envelope ids that are stored in another field: the schema follows from the type. */
const ENVELOPE_IDS = [
  { name: 'schema', stored: 'type', description: 'The id of the JSON Schema of its type.' },
  { name: 'meta.workspace', stored: 'workspace', description: 'The workspace that it lives in.' },
];

/** Every field that a body of this schema can have, aliases included, and those of the envelope around it. */
export function fieldsOf(schema: Schema): FieldTable {
  const table = new Map<string, Field>();
  for (const [name, part] of Object.entries(ENVELOPE.properties ?? {})) {
    const own = { name, kind: kindOf(part), description: descriptionOf(part, name), catalog: undefined };
    table.set(name, { ...own, inList: false, stored: ENVELOPE_STORED[name] ?? name, envelope: true });
  }
  for (const id of ENVELOPE_IDS) {
    table.set(id.name, { ...id, kind: 'id', catalog: undefined, inList: false, envelope: true });
  }
  collect(schema, [], false, table);
  return table;
}

function collect(schema: Schema, path: readonly string[], inList: boolean, table: Map<string, Field>): void {
  for (const [member, part] of Object.entries(schema.properties ?? {})) {
    const here = [...path, member];
    if (part.properties && part['x-catalog']) addReference(part, here, inList, table);
    else if (part.properties) collect(part, here, inList, table);
    else if (part.items?.properties) collect(part.items, here, true, table);
    else addField(part, here, inList, table);
  }
}

function addField(member: Schema, path: readonly string[], isInside: boolean, table: Map<string, Field>): void {
  const part = member.items ?? member;
  const name = path.join('.');
  const kind = kindOf(part);
  const description = descriptionOf(member, path.at(-1));
  const canonical = [...path.slice(0, -1), part['x-alias-of'] ?? path.at(-1)];
  const keyed = kind === 'datetime' || part['x-alias'] || part['x-alias-of'];
  const stored = keyed ? `keys.${canonical.join('_')}` : `body.${part['x-stored'] ?? name}`;
  const inList = isInside || member.items !== undefined;
  table.set(name, { name, kind, description, catalog: part['x-catalog'], inList, stored, envelope: false });
}

/** A reference that is always an object, and its members; its xref and name are those of its record. */
function addReference(part: Schema, path: readonly string[], inList: boolean, table: Map<string, Field>): void {
  const name = path.join('.');
  const object = `body.${name}`;
  const about = { description: descriptionOf(part, path.at(-1)), catalog: part['x-catalog'] };
  table.set(name, { name, kind: 'id', ...about, object, inList, stored: `${object}.id`, envelope: false });
  const { xref: _xref, name: _name, ...members } = part.properties ?? {};
  collect({ ...part, properties: members }, path, inList, table);
}

/** The description of a member in its schema, or at least its name. */
export const descriptionOf = ({ description, items }: Schema, name = ''): string =>
  description ?? items?.description ?? `The ${name}.`;

function kindOf(part: Schema): FieldKind {
  if (part['x-catalog'] || part['x-link']) return 'id';
  if (part.format === 'datetime') return 'datetime';
  const types = typeof part.type === 'string' ? [part.type] : (part.type ?? []);
  if (types.includes('integer')) return 'integer';
  if (types.includes('number')) return 'float';
  if (types.includes('boolean')) return 'boolean';
  return 'text';
}

/** One catalog reference of a data model: its path ("*" is every item of a list) and its catalog. */
export interface ReferencePath {
  readonly path: readonly string[];
  readonly catalog: string;
}

/** Every catalog reference in a schema. */
export function referencePathsOf(schema: Schema, path: readonly string[] = []): ReferencePath[] {
  if (schema['x-catalog']) return [{ path, catalog: schema['x-catalog'] }];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    referencePathsOf(part, [...path, name]),
  );
  return schema.items ? [...members, ...referencePathsOf(schema.items, [...path, '*'])] : members;
}

/** Every field of a schema with a comparable value outside the body: datetimes, and fields with an alias. */
function keyedFieldsOf(schema: Schema): readonly KeyedField[] {
  return Object.entries(schema.properties ?? {})
    .filter(([, part]) => (part.format === 'datetime' || part['x-alias']) && !part['x-alias-of'])
    .map(([name, part]) => ({ name, alias: part['x-alias'], datetime: part.format === 'datetime' }));
}

/** Every field of an entity type with a comparable value outside the body. */
export const keyedFieldsOfType = ({
  schema,
  extensionSchema = {},
}: Pick<DocumentType, 'schema' | 'extensionSchema'>) => [...keyedFieldsOf(schema), ...keyedFieldsOf(extensionSchema)];

export interface KeyedField {
  readonly name: string;
  readonly alias: string | undefined;
  readonly datetime: boolean;
}
