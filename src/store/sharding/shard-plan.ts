/** The fields of a shard key, in order; `hashed` spreads values that grow at one end. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/** How to place a collection on a sharded cluster: sharded by a key, or whole on the database's primary shard. */
type ShardDecision = { readonly key: ShardKey; readonly why: string } | { readonly stays: string };

const IN_WORKSPACE =
  'a workspace is one place: its lists, its unique names and the transactions of its writes meet one shard';
const BY_ID = 'written and read by id';
const SMALL = 'small: some documents a tenant';

/**
 * The plan for every collection on a sharded cluster. A unique index of a sharded collection must begin with the whole key, so
 * documents are sharded by workspace alone, and collections that are unique in two ways stay whole.
 */
export const SHARD_PLAN: Readonly<Record<string, ShardDecision>> = {
  documents: { key: { workspace: 1 }, why: IN_WORKSPACE },
  catalog_records: { key: { workspace: 1 }, why: IN_WORKSPACE },
  synonyms: { key: { workspace: 1 }, why: IN_WORKSPACE },
  attachments: { key: { workspace: 1 }, why: IN_WORKSPACE },
  versions: { key: { _id: 'hashed' }, why: 'written by id; a history is read from all shards' },
  'fs.chunks': { key: { files_id: 1, n: 1 }, why: 'the key that GridFS has; a file is read in order' },
  audit_log: {
    key: { _id: 'hashed' },
    why: 'written by id, and grows for ever; a tenant’s log is read from all shards',
  },
  idempotency: { key: { _id: 'hashed' }, why: BY_ID },
  organizations: { stays: 'names are unique across all tenants, and ids as well' },
  workspaces: { stays: SMALL },
  principals: { stays: 'unique in two ways: by the hash of a key, and by the name of a user' },
  sessions: { stays: SMALL },
  sign_in_failures: { stays: 'short-lived' },
  request_counts: { stays: 'short-lived; set RATE_LIMIT_PER_MINUTE=0 where a proxy in front counts requests' },
  events: { stays: 'one sequence for all, which the projector of events numbers' },
  leases: { stays: SMALL },
  meta: { stays: SMALL },
  health: { stays: SMALL },
  tenant_usage: { stays: SMALL },
  tombstones: { stays: 'short-lived; found by id and by workspace' },
  job_facts: { stays: 'narrow: one row of figures a job; counted in one transaction with the sums' },
  job_audits: { stays: 'narrow: the findings of one job a row; counted with its facts' },
  statistics_rollups: { stays: 'sums, some thousands a workspace' },
  statistics_changes: { stays: 'short-lived: which months of a workspace have changed' },
  reference_records: { stays: 'reference data of a tenant, some thousands' },
  reference_totals: { stays: SMALL },
  'fs.files': { stays: 'one small document a file; found by id alone' },
  loose_files: { stays: 'files on their way, short-lived' },
  erasures: { stays: 'short-lived' },
  webhooks: { stays: SMALL },
  webhook_deliveries: { stays: 'short-lived, and read by webhook' },
};
