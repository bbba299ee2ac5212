import type { Db, IndexDescription } from 'mongodb';
import { hasCode } from '../connection/error-codes.ts';
import { DOCUMENT_INDEXES, DOCUMENT_UNIQUE, RETIRED_DOCUMENT_INDEXES } from './document-indexes.ts';

/** The names of the unique indexes that rules rely on. */
export const UNIQUE = {
  documentUnique: DOCUMENT_UNIQUE,
  organizationName: 'organization_name',
  organizationVisibleName: 'organization_visible_name',
  recordXref: 'record_xref',
  recordCreatedFor: 'record_created_for',
  synonymPair: 'synonym_pair',
  keyHash: 'key_hash',
  username: 'username',
  eventSequence: 'event_sequence',
} as const;

/** Only complete jobs that have been reported on. */
const DELAYED = { partialFilterExpression: { delay: { $exists: true } } } as const;

/** The fields that statistics sum, so that they are answered from the index alone. */
const SUMMED = { key: 1, n: 1, x: 1, y: 1, z: 1, a: 1, b: 1 } as const;

/** Every index, by collection. Keys of workspace data start with the workspace, so that the collections can be sharded. */
const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = {
  organizations: [
    { key: { name_key: 1 }, name: UNIQUE.organizationName, unique: true },
    { key: { visible_key: 1 }, name: UNIQUE.organizationVisibleName, unique: true, sparse: true },
    { key: { created_at: -1, _id: 1 }, name: 'newest' },
    { key: { 'body.category': 1, created_at: -1, _id: 1 }, name: 'category' },
    { key: { parts: 1 }, name: 'parts' },
  ],
  workspaces: [
    { key: { readers: 1, created_at: -1, _id: 1 }, name: 'readable_newest' },
    { key: { 'parties.client.id': 1 }, name: 'client' },
    { key: { 'parties.vendor.id': 1 }, name: 'vendor' },
    { key: { readers: 1, 'body.description': 1, created_at: -1, _id: 1 }, name: 'description' },
    { key: { readers: 1, 'body.parties.client.id': 1, created_at: -1, _id: 1 }, name: 'client_newest' },
    { key: { readers: 1, 'body.parties.vendor.id': 1, created_at: -1, _id: 1 }, name: 'vendor_newest' },
    { key: { readers: 1, 'body.parties.client.xref': 1 }, name: 'client_xref' },
    { key: { accepted_by: 1, 'body.parties.client.xref': 1 }, name: 'accepted_client_xref' },
    { key: { accepted_by: 1, 'body.parties.client.id': 1 }, name: 'accepted_client' },
    { key: { declined_by: 1 }, name: 'declined', sparse: true },
  ],
  documents: DOCUMENT_INDEXES,
  versions: [
    { key: { entity: 1, revision: -1 }, name: 'entity' },
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0, sparse: true },
  ],
  tombstones: [
    { key: { workspace: 1, deleted_at: -1, _id: 1 }, name: 'workspace_newest' },
    { key: { readers: 1, deleted_at: -1, _id: 1 }, name: 'readable_newest' },
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    { key: { versions_left: 1 }, name: 'versions_left', sparse: true },
  ],
  audit_log: [
    { key: { tenant: 1, _id: -1 }, name: 'tenant_newest' },
    { key: { tenant: 1, action: 1, _id: -1 }, name: 'action_newest' },
    { key: { tenant: 1, entity: 1, action: 1, _id: -1 }, name: 'entity_newest' },
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  catalog_records: [
    { key: { workspace: 1, xtype: 1, created_at: -1, _id: 1 }, name: 'workspace_newest' },
    { key: { workspace: 1, xtype: 1, name_key: 1 }, name: 'name' },
    { key: { readers: 1, xtype: 1, name_key: 1 }, name: 'readable_name' },
    { key: { readers: 1, xtype: 1, xref: 1 }, name: 'readable_xref' },
    { key: { workspace: 1, parts: 1 }, name: 'parts' },
    {
      key: { workspace: 1, xtype: 1, owner: 1, xref: 1 },
      name: UNIQUE.recordXref,
      unique: true,
      partialFilterExpression: { xref: { $exists: true } },
    },
    {
      key: { workspace: 1, xtype: 1, created_for: 1 },
      name: UNIQUE.recordCreatedFor,
      unique: true,
      partialFilterExpression: { created_for: { $exists: true } },
    },
  ],
  synonyms: [
    { key: { workspace: 1, pair: 1 }, name: UNIQUE.synonymPair, unique: true },
    { key: { workspace: 1, items: 1, created_at: -1, _id: 1 }, name: 'items' },
    { key: { workspace: 1, created_at: -1, _id: 1 }, name: 'workspace_newest' },
    { key: { workspace: 1, xtype: 1, created_at: -1, _id: 1 }, name: 'catalog_newest' },
  ],
  job_facts: [
    { key: { workspace: 1, of: 1, created_at: 1 }, name: 'workspace_of' },
    { key: { readers: 1, created_at: 1, workspace: 1 }, name: 'readable' },
    { key: { workspace: 1, delay: 1, created_at: 1 }, name: 'workspace_delay', ...DELAYED },
    { key: { readers: 1, delay: 1, created_at: 1, workspace: 1 }, name: 'readable_delay', ...DELAYED },
  ],
  job_audits: [
    { key: { workspace: 1, product: 1, created_at: -1, _id: 1 }, name: 'history' },
    {
      key: {
        ...{ workspace: 1, product: 1 },
        ...{ 'percentages.name': 1, 'percentages.isUnusual': 1, 'percentages.value': 1 },
      },
      name: 'unusual',
      partialFilterExpression: { percentages: { $exists: true } },
    },
    { key: { workspace: 1, vessels: 1 }, name: 'vessel', partialFilterExpression: { compared: true } },
    {
      key: { workspace: 1, specification: 1 },
      name: 'specification',
      partialFilterExpression: { specification: { $exists: true } },
    },
  ],
  statistics_rollups: [
    { key: { workspace: 1, of: 1, facet: 1, unit: 1, start: 1, ...SUMMED }, name: 'workspace_sums' },
    { key: { readers: 1, of: 1, facet: 1, unit: 1, start: 1, workspace: 1, ...SUMMED }, name: 'readable_sums' },
    { key: { workspace: 1, start: 1 }, name: 'workspace_start' },
  ],
  statistics_changes: [
    { key: { workspace: 1, month: 1 }, name: 'workspace' },
    { key: { readers: 1, month: 1 }, name: 'readable' },
    { key: { at: 1 }, name: 'expiry', expireAfterSeconds: 3_600 },
  ],
  attachments: [{ key: { workspace: 1, parent_id: 1, created_at: -1, _id: 1 }, name: 'document_newest' }],
  reference_records: [
    { key: { tenant: 1, type: 1, code: 1, modified_at: 1 }, name: 'code' },
    { key: { tenant: 1, type: 1, modified_at: 1, code: 1 }, name: 'modified' },
    { key: { tenant: 1, type: 1, name_key: 1, code: 1 }, name: 'name' },
    { key: { tenant: 1, type: 1, position: '2dsphere' }, name: 'position' },
  ],
  reference_totals: [{ key: { tenant: 1, type: 1, count: 1 }, name: 'total' }],
  'fs.files': [{ key: { filename: 1, uploadDate: 1 }, name: 'filename_1_uploadDate_1' }],
  'fs.chunks': [{ key: { files_id: 1, n: 1 }, name: 'files_id_1_n_1', unique: true }],
  loose_files: [{ key: { until: 1 }, name: 'until' }],
  erasures: [{ key: { due: 1 }, name: 'due' }],
  idempotency: [{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  principals: [
    { key: { hash: 1 }, name: UNIQUE.keyHash, unique: true, partialFilterExpression: { kind: 'key' } },
    { key: { 'previous.hash': 1 }, name: 'previous_key_hash', sparse: true },
    { key: { tenant: 1, kind: 1, created_at: 1 }, name: 'tenant' },
    { key: { username_key: 1 }, name: UNIQUE.username, unique: true, partialFilterExpression: { kind: 'user' } },
  ],
  sessions: [
    { key: { user: 1, created_at: -1, _id: 1 }, name: 'user_newest' },
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  events: [
    { key: { sequence: 1 }, name: UNIQUE.eventSequence, unique: true },
    { key: { readers: 1, sequence: 1 }, name: 'readable' },
    { key: { workspace: 1, sequence: 1 }, name: 'workspace' },
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  leases: [],
  webhooks: [{ key: { tenant: 1, created_at: -1 }, name: 'tenant' }],
  webhook_deliveries: [
    { key: { webhook: 1, id: 1 }, name: 'path' },
    { key: { webhook: 1, created_at: -1, _id: -1 }, name: 'newest' },
    { key: { webhook: 1, status: 1, created_at: -1, _id: -1 }, name: 'status' },
    { key: { webhook: 1, next_at: 1 }, name: 'due' },
    { key: { webhook: 1, asked: 1, next_at: 1 }, name: 'asked', partialFilterExpression: { asked: true } },
    { key: { webhook: 1, waits: 1 }, name: 'waiting', partialFilterExpression: { waits: true } },
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  sign_in_failures: [{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  request_counts: [
    { key: { key: 1 }, name: 'principal', unique: true },
    { key: { expire: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
};

/**
 * The index that has rows of equal values in a given order, to be used as a hint: before skipping many keys, MongoDB would
 * otherwise run all candidate plans side by side until one of them returns a row.
 */
export function indexOf(
  collection: string,
  equal: Readonly<Record<string, unknown>>,
  order: Readonly<Record<string, 1 | -1>>,
): string | undefined {
  const fields = Object.keys(equal);
  const ordered = Object.entries(order);
  const found = INDEXES[collection]?.find(({ key, partialFilterExpression = {} }) => {
    const keys = Object.entries(key);
    const then = keys.slice(fields.length, fields.length + ordered.length);
    return (
      keys.slice(0, fields.length).every(([name]) => fields.includes(name)) &&
      then.length === ordered.length &&
      then.every(([name], index) => name === ordered[index]?.[0]) &&
      new Set(then.map(([name, direction]) => direction === order[name])).size <= 1 &&
      Object.entries(partialFilterExpression).every(([name, value]) => equal[name] === value)
    );
  });
  return found?.name;
}

/** Whether an index may have rows in the order of these fields, for some filter; if none has, MongoDB reads and sorts all rows. */
export function mayHaveOrder(
  collection: string,
  scope: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): boolean {
  const found = INDEXES[collection]?.some(({ key, partialFilterExpression = {} }) => {
    const keys = Object.keys(key);
    const at = keys.indexOf(fields[0] ?? '');
    const isOfScope = Object.entries(partialFilterExpression).every(
      ([name, value]) => scope[name] === undefined || scope[name] === value,
    );
    return at >= 0 && isOfScope && fields.every((field, index) => keys[at + index] === field);
  });
  return found ?? false;
}

/** Whether an index has any of these fields, so that it may find what a filter by them matches. */
export const isIndexed = (collection: string, fields: readonly string[]): boolean =>
  fields.includes('_id') || (INDEXES[collection]?.some(({ key }) => fields.some((field) => field in key)) ?? true);

/** Indexes created by earlier versions and no longer used, by collection. */
const RETIRED: Readonly<Record<string, readonly string[]>> = {
  documents: RETIRED_DOCUMENT_INDEXES,
  sessions: ['user'],
};

/** Creates missing collections and indexes (existing ones cost one call), then drops those that were replaced. */
export async function ensureIndexes(db: Db): Promise<void> {
  const existing = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  await Promise.all(
    Object.entries(INDEXES).map(async ([name, indexes]) => {
      if (!existing.has(name)) await db.createCollection(name).catch(ignoreExisting);
      if (indexes.length > 0) await db.collection(name).createIndexes([...indexes]);
      if (existing.has(name)) await dropRetired(db, name);
    }),
  );
}

async function dropRetired(db: Db, name: string): Promise<void> {
  const retired = RETIRED[name] ?? [];
  if (retired.length === 0) return;
  const present = new Set((await db.collection(name).indexes()).map((index) => index.name));
  for (const index of retired) {
    if (present.has(index)) await db.collection(name).dropIndex(index).catch(ignoreMissing);
  }
}

/** Another gateway starting at the same moment may have dropped the index first. */
function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'IndexNotFound')) throw error;
}

/** Another gateway starting at the same moment may have created the collection first. */
function ignoreExisting(error: unknown): void {
  if (!hasCode(error, 'NamespaceExists')) throw error;
}
