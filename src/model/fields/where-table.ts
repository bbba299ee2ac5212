import { JOB_TYPE } from '../document-types/job.ts';
import { anyDocument, DOCUMENT_TYPES } from '../document-types.ts';
import type { DocumentType, EntityType } from '../entity/entity-type.ts';
import { catalogRecordType, organizationType, workspaceType } from '../entity/entity-types.ts';
import { REFERENCE_TYPES } from '../reference-data/reference-types.ts';
import { descriptionOf, type Field, type FieldKind, type FieldTable, fieldsOf } from './fields.ts';
import type { Schema } from './schema-parts.ts';
import { partLetter } from './text-parts.ts';

/** A plain value that typed filters compare. */
export interface WhereValue {
  readonly is: 'value';
  readonly kind: FieldKind;
  /** The stored path; inside a list, relative to the item. */
  readonly stored: string;
  /** The stored path of its indexed, case-insensitive form. */
  readonly folded: string | undefined;
  /** The prefix letter of its stored parts, which are indexed for substring searches. */
  readonly parts?: string | undefined;
  /** Unique within a list. */
  readonly unique?: boolean;
  /** A body may have a value of any type here. */
  readonly unchecked?: boolean;
  /** The value if nothing is stored. */
  readonly otherwise?: boolean;
  readonly description: string;
}

/** A group of members; with `list`, the members of each item, one of which must match all conditions. */
interface WhereGroup {
  readonly is: 'group';
  /** The path of the list; undefined for an object. */
  readonly list: string | undefined;
  readonly nodes: WhereTable;
  readonly description: string;
}

/** A related entity whose fields can be filtered by. */
export interface WhereRelation {
  readonly is: 'relation';
  readonly to: EntityType;
  /** The fields that can be filtered by. */
  readonly table: WhereTable;
  /** The path where its id is stored. */
  readonly stored: string;
  /** The catalog, if the related entity is a catalog record. */
  readonly catalog: string | undefined;
  readonly description: string;
}

export type WhereNode = WhereValue | WhereGroup | WhereRelation;

/** The fields that typed filters of an entity type can use, by their GraphQL names. */
export type WhereTable = ReadonlyMap<string, WhereNode>;

/** Envelope fields by their GraphQL names; `parent` and `workspace` are also relations. */
const ENVELOPE_NAMES: Readonly<Record<string, string>> = {
  id: 'id',
  versionId: 'version_id',
  createdAt: 'created_at',
  createdBy: 'created_by',
  modifiedAt: 'modified_at',
  modifiedBy: 'modified_by',
};

/** The stored paths of case-insensitive forms of texts. */
const FOLDED_PATHS: Readonly<Record<string, string>> = {
  [`${organizationType.name} name`]: 'name_key',
  [`${catalogRecordType.name} name`]: 'name_key',
  ...Object.fromEntries(REFERENCE_TYPES.map(({ name }) => [`${name} name`, 'name_key'])),
};

/** Body members that are also stored outside the body, where they are indexed. */
const STORED_PATHS: Readonly<Record<string, string>> = {
  [`${catalogRecordType.name} xtype`]: 'xtype',
  [`${catalogRecordType.name} ownerParty`]: 'owner',
  [`${catalogRecordType.name} xref`]: 'xref',
};

/** The members that the service sets in a reference record, in place of an envelope. */
const SERVICE_FIELDS: Readonly<Record<string, Pick<WhereValue, 'kind' | 'stored' | 'unique'>>> = {
  clientCode: { kind: 'text', stored: 'code', unique: true },
  dateCreated: { kind: 'datetime', stored: 'created_at' },
  creator: { kind: 'text', stored: 'creator' },
  dateModified: { kind: 'datetime', stored: 'modified_at' },
  modifier: { kind: 'text', stored: 'modifier' },
};

/** The stored path of the figure audit's verdict on a job that had a finding; all other jobs passed. */
export const AUDIT_PASSED = 'audit.passed';

const KEPT_AUDIT: WhereGroup = {
  is: 'group',
  list: undefined,
  nodes: new Map([
    [
      'passed',
      {
        ...{ is: 'value', kind: 'boolean', stored: AUDIT_PASSED, folded: undefined, otherwise: true },
        description: 'Whether there are no findings with the default thresholds; every job has a verdict.',
      },
    ],
  ]),
  description: 'What the figure audit found.',
};

const tables = new Map<string, WhereTable>();

/** The filter table of an entity type; built once from its JSON Schema. */
export function whereTableOf(type: EntityType): WhereTable {
  const known = tables.get(type.name);
  if (known) return known;
  const fields = fieldsOf(type.schema);
  const table = new Map<string, WhereNode>();
  tables.set(type.name, table);
  const isReference = REFERENCE_TYPES.some(({ name }) => name === type.name);
  if (isReference) table.set('id', idAt('_id', 'The id, by which the audit log names it.'));
  for (const [name, field] of isReference ? [] : Object.entries(ENVELOPE_NAMES)) {
    const node = plainValue(fields.get(field));
    if (node) table.set(name, node);
  }
  const inWorkspace = isDocument(type);
  if (inWorkspace) {
    table.set('parentId', idAt('parent_id', 'The document that it belongs to.'));
    table.set('workspaceId', idAt('workspace', 'The workspace that it lives in.'));
    table.set('workspace', relation(workspaceType, 'workspace', 'The workspace that it lives in.'));
  }
  if (inWorkspace && type.parentType !== undefined) {
    const parent = DOCUMENT_TYPES.find(({ name }) => name === type.parentType);
    if (parent) table.set(parent.noun, relation(parent, 'parent_id', `The ${parent.noun} that it belongs to.`));
  }
  collect({ type, fields, list: undefined }, type.schema, [], table);
  if (type.name === JOB_TYPE) table.set('figureAudit', KEPT_AUDIT);
  if (inWorkspace && type.extensionSchema) addPlain(type.extensionSchema, table);
  return table;
}

/** Adds the plain members that one family gives its own documents; nested members keep that family's names. */
function addPlain(schema: Schema, table: Map<string, WhereNode>): void {
  const fields = fieldsOf(schema);
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const node = part.items ? undefined : plainValue(fields.get(name));
    if (node && !table.has(name)) table.set(name, { ...node, unchecked: true });
  }
}

const isDocument = (type: EntityType): type is DocumentType =>
  [...DOCUMENT_TYPES, anyDocument].some(({ name }) => name === type.name);

/** The state of a walk through the schema of a body. */
interface Walk {
  readonly type: EntityType;
  readonly fields: FieldTable;
  /** The path of the list whose items are walked. */
  readonly list: string | undefined;
}

function collect(walk: Walk, schema: Schema, path: readonly string[], table: Map<string, WhereNode>): void {
  const { hide = [], flatten = [], rename = {} } = walk.type.graphqlNames ?? {};
  for (const [member, part] of Object.entries(schema.properties ?? {})) {
    const here = [...path, member];
    const name = here.join('.');
    if (part['x-alias-of'] || hide.includes(name)) continue;
    if (flatten.includes(name)) {
      collect(walk, part, here, table);
      continue;
    }
    const node = nodeOf(walk, part, here);
    if (node) table.set(rename[name] ?? member, node);
  }
}

function nodeOf(walk: Walk, part: Schema, path: readonly string[]): WhereNode | undefined {
  const description = descriptionOf(part, path.at(-1));
  const items = part.items?.properties ? part.items : undefined;
  if (items || part.properties) {
    const nodes = new Map<string, WhereNode>();
    const list = items ? `body.${path.join('.')}` : undefined;
    collect({ ...walk, list: list ?? walk.list }, items ?? part, path, nodes);
    return { is: 'group', list, nodes, description };
  }
  const said = part.readOnly ? SERVICE_FIELDS[path.join('.')] : undefined;
  if (said) return { is: 'value', folded: undefined, description, ...said };
  const field = walk.fields.get(path.join('.'));
  if (!field) return undefined;
  const key = `${walk.type.name} ${field.name}`;
  const stored = STORED_PATHS[key] ?? within(walk.list, field.stored);
  const marks = part.items ?? part;
  if (marks['x-catalog']) return relation(catalogRecordType, stored, description, marks['x-catalog']);
  if (marks['x-link'] === 'organization') return relation(organizationType, stored, description);
  if (marks['x-link'] === 'catalog record') return relation(catalogRecordType, stored, description);
  const linked = marks['x-link'] === 'specification' && DOCUMENT_TYPES.find(({ noun }) => noun === 'specification');
  if (linked) return relation(linked, stored, description);
  const parts = walk.list === undefined ? partLetter(walk.type.name, field.name) : undefined;
  return { is: 'value', kind: field.kind, stored, folded: FOLDED_PATHS[key], parts, description };
}

/** The path relative to an item of the list. */
const within = (list: string | undefined, stored: string): string =>
  list !== undefined && stored.startsWith(`${list}.`) ? stored.slice(list.length + 1) : stored;

const plainValue = (field: Field | undefined): WhereValue | undefined =>
  field && { is: 'value', kind: field.kind, stored: field.stored, folded: undefined, description: field.description };

const idAt = (stored: string, description: string): WhereValue => ({
  is: 'value',
  kind: 'id',
  stored,
  folded: undefined,
  description,
});

const relation = (to: EntityType, stored: string, description: string, catalog?: string): WhereRelation => ({
  is: 'relation',
  to,
  table: whereTableOf(to),
  stored,
  catalog,
  description,
});
