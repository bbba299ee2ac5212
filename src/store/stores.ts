import type { Db, MongoClient, ReadPreferenceMode } from 'mongodb';
import type { StoredCatalogRecord, StoredDocument, StoredOrganization } from '../model/entity/entity.ts';
import { PrincipalStore } from './access/principals.ts';
import type { Quotas } from './access/quota-kinds.ts';
import { SessionStore } from './access/sessions.ts';
import { SignInFailures } from './access/sign-in-failures.ts';
import { TenantUsage } from './access/tenant-usage.ts';
import { UserStore } from './access/users.ts';
import { AuditLog } from './audit/audit-log.ts';
import { AUDIT_TTL_DAYS } from './audit/retention.ts';
import { Tombstones } from './audit/tombstones.ts';
import { RecordNames } from './batching/record-names.ts';
import { RememberedIds } from './batching/remembered-ids.ts';
import { SynonymCollection } from './catalogs/synonyms.ts';
import { BoundedDb } from './connection/bounded-writes.ts';
import { clientOf, connect, refusedUser } from './connection/connecting.ts';
import { ConnectionCounts } from './connection/connection-counts.ts';
import { DatabaseClock } from './connection/database-clock.ts';
import { DatabaseWatch, HEARTBEATS, type OutageLog } from './connection/database-watch.ts';
import { limitSilence } from './connection/driver/silence.ts';
import { wakeWritersOfClosedSockets } from './connection/driver/sockets.ts';
import { throughOutages } from './connection/through-outages.ts';
import { AttachmentCollection } from './entities/attachments.ts';
import { EntityCollection } from './entities/entity-collection.ts';
import { Erasures } from './entities/erasures.ts';
import { RecordSearch, RememberedReferences } from './entities/record-search.ts';
import { RecordUsers } from './entities/record-users.ts';
import { ReferenceRecords } from './entities/reference-records.ts';
import { type StoredVersion, VersionStore } from './entities/versions.ts';
import { WorkspaceCollection } from './entities/workspaces.ts';
import { EventLog } from './events/event-log.ts';
import { EventTail } from './events/event-tail.ts';
import { KeptAudits } from './figure-audits/kept-audits.ts';
import { Files } from './files/files.ts';
import { CHECKING, Health } from './health.ts';
import { ensureIndexes } from './indexes/indexes.ts';
import { RememberedFilters } from './lists/remembered-filters.ts';
import { checkForm } from './migrations/check-form.ts';
import { type MigratingLog, migrate } from './migrations/run-migrations.ts';
import { KeptStatistics } from './statistics/kept-statistics.ts';
import type { Transaction } from './transactions/transaction.ts';
import { type TransactionOptions, Transactions } from './transactions/transactions.ts';
import { Turns } from './transactions/turns.ts';
import { untilStopped } from './until-stopped.ts';
import { DeliveryStore } from './webhooks/deliveries.ts';
import { WebhookLeases } from './webhooks/webhook-leases.ts';
import { WebhookStore } from './webhooks/webhooks.ts';

/** MongoDB as the domain sees it: one handle per noun, and transactions. */
export interface Stores {
  readonly organizations: EntityCollection<StoredOrganization>;
  readonly workspaces: WorkspaceCollection;
  readonly documents: EntityCollection<StoredDocument>;
  readonly attachments: AttachmentCollection;
  readonly files: Files;
  readonly catalogRecords: EntityCollection<StoredCatalogRecord>;
  readonly synonyms: SynonymCollection;
  readonly recordNames: RecordNames;
  readonly recordSearch: RecordSearch;
  readonly rememberedReferences: RememberedReferences;
  readonly rememberedFilters: RememberedFilters;
  /** The catalog records shown in recent answers. */
  readonly shownRecords: RememberedIds;
  readonly referenceRecords: ReferenceRecords;
  readonly recordUsers: RecordUsers;
  readonly statistics: KeptStatistics;
  /** The stored figure audits of jobs. */
  readonly audits: KeptAudits;
  readonly versions: VersionStore;
  readonly erasures: Erasures;
  readonly tombstones: Tombstones;
  readonly audit: AuditLog;
  readonly principals: PrincipalStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly signInFailures: SignInFailures;
  readonly usage: TenantUsage;
  readonly webhooks: WebhookStore;
  readonly webhookLeases: WebhookLeases;
  readonly deliveries: DeliveryStore;
  readonly events: EventLog;
  readonly eventTail: EventTail;
  readonly db: Db;
  readonly connections: ConnectionCounts;
  /** Tracks whether the database responds. */
  readonly watch: DatabaseWatch;
  readonly clock: DatabaseClock;
  readonly health: Health;
  /** Queues this process's concurrent writes to the same thing. */
  readonly turns: Turns;
  /** Runs the work in one transaction; it may run more than once, so it must have no effects outside MongoDB. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The version of the MongoDB server. */
  version(): Promise<string>;
  close(): Promise<void>;
}

interface ConnectOptions {
  readonly uri: string;
  readonly database: string;
  /** Set to migrate a database of an older form; without it, such a database is refused. */
  readonly migrations?: MigratingLog;
  /** Aborts startup work, with its reason. */
  readonly stopped?: AbortSignal | undefined;
  /** Where to log that the database stops or resumes responding. */
  readonly outages?: OutageLog;
  /** The members statistics are read from; the primary by default. */
  readonly statisticsReadPreference?: ReadPreferenceMode | undefined;
  /** How long the audit log and tombstones are kept. */
  readonly auditTtlDays?: number | undefined;
  /** Tenants' quotas; nothing is counted without quotas. If unset, startup leaves existing counts alone. */
  readonly quotas?: Quotas;
  /** The longest time between counting a write against a quota and storing it. */
  readonly usageSettlesMs?: number | undefined;
}

const OPTIONS = {
  appName: 'inspection-exchange',
  writeConcern: { w: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  serverSelectionTimeoutMS: 5_000,
  ...HEARTBEATS,
  maxPoolSize: 32,
  /** A connection idle for longer may have been dropped in transit. */
  maxIdleTimeMS: 60_000,
  ignoreUndefined: true,
} as const;

/** Connects to a replica set or sharded cluster, and ensures the indexes and the stored form; every write waits for the majority. */
export async function connectStores({
  uri,
  database,
  migrations,
  stopped,
  outages,
  ...options
}: ConnectOptions): Promise<Stores> {
  wakeWritersOfClosedSockets();
  limitSilence();
  const client = clientOf(uri, OPTIONS);
  const connections = new ConnectionCounts(client);
  const clock = new DatabaseClock(client, outages);
  const health = new Health(() => clientOf(uri, { ...OPTIONS, ...CHECKING }), database);
  const watch = new DatabaseWatch(client, {
    log: outages,
    health: () => health.check(),
    areStuck: () => connections.areStuck,
  });
  await connect(client).catch((error: unknown) => {
    watch.close();
    throw error;
  });
  const unbounded = client.db(database);
  try {
    await checkForm(unbounded, migrations !== undefined);
    if (migrations) await prepare(unbounded, { log: migrations, stopped, quotas: options.quotas });
    else await ensureIndexes(unbounded);
  } catch (error) {
    watch.close();
    await client.close();
    throw refusedUser(error, client, database);
  }
  return storesOf({ client, watch, clock, connections, health }, { database, ...options });
}

interface StartConditions {
  readonly log: MigratingLog;
  readonly stopped: AbortSignal | undefined;
  readonly quotas: Quotas | undefined;
}

/** Startup work, however long it takes; if MongoDB goes away meanwhile, it resumes when that is back. */
async function prepare(db: Db, { log, stopped, quotas }: StartConditions): Promise<void> {
  const through = (doing: string, work: () => Promise<void>): Promise<void> =>
    untilStopped(throughOutages({ client: db.client, log, doing, stopped }, work), stopped);
  await through('the indexes are built', () => ensureIndexes(db));
  await migrate(db, log, stopped);
  if (quotas !== undefined) {
    await through('what counts for quotas is counted', () => new TenantUsage(db, quotas).begin());
  }
}

/** A connection to MongoDB and what is known about it. */
interface Connected {
  readonly client: MongoClient;
  readonly watch: DatabaseWatch;
  readonly clock: DatabaseClock;
  readonly connections: ConnectionCounts;
  readonly health: Health;
}

/** The stores of a connected database; nothing is read, written or set up. */
export function storesOf(
  { client, watch, clock, connections, health }: Connected,
  {
    database,
    auditTtlDays = AUDIT_TTL_DAYS,
    quotas,
    usageSettlesMs,
    statisticsReadPreference = 'primary',
  }: Omit<ConnectOptions, 'uri' | 'migrations'>,
): Stores {
  const db = new BoundedDb(client, database, client.options);
  const versions = db.collection<StoredVersion>('versions');
  const events = new EventLog(client.db(database), () => clock.now());
  const usage = new TenantUsage(db, quotas, usageSettlesMs);
  const transactions = new Transactions(client, watch);
  const files = new Files(db);
  const audit = new AuditLog(db, auditTtlDays);
  const records = db.collection<StoredCatalogRecord>('catalog_records');
  const catalogRecords = new EntityCollection(records, versions);
  return {
    organizations: new EntityCollection(db.collection<StoredOrganization>('organizations'), versions, {
      fence: 'uses',
    }),
    workspaces: new WorkspaceCollection(db, usage.of('workspaces')),
    documents: new EntityCollection(db.collection<StoredDocument>('documents'), versions, {
      usage: usage.of('documents'),
    }),
    attachments: new AttachmentCollection(db, { files, transactions, usage: usage.of('fileBytes') }),
    files,
    catalogRecords,
    recordNames: new RecordNames(records, catalogRecords.marks),
    recordSearch: new RecordSearch(records),
    rememberedReferences: new RememberedReferences(),
    rememberedFilters: new RememberedFilters(),
    shownRecords: new RememberedIds(),
    referenceRecords: new ReferenceRecords(db),
    webhooks: new WebhookStore(db),
    webhookLeases: new WebhookLeases(db),
    deliveries: new DeliveryStore(db),
    synonyms: new SynonymCollection(db),
    recordUsers: new RecordUsers(db),
    statistics: new KeptStatistics(db, statisticsReadPreference),
    audits: new KeptAudits(db),
    versions: new VersionStore(db),
    erasures: new Erasures(db),
    tombstones: new Tombstones(db, auditTtlDays),
    audit,
    principals: new PrincipalStore(db),
    users: new UserStore(db),
    sessions: new SessionStore(db),
    signInFailures: new SignInFailures(db),
    usage,
    events,
    eventTail: new EventTail(events),
    db,
    connections,
    watch,
    clock,
    health,
    turns: new Turns(),
    transaction: (work, options) => transactions.run(work, options),
    version: async () => String((await db.admin().serverInfo()).version),
    close: async () => {
      await usage.close();
      await audit.flush();
      watch.close();
      await Promise.all([client.close(), health.close()]);
    },
  };
}
