import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { BatchedReads } from '../batching/batched-reads.ts';
import { cursorOf, type FindCommand } from '../batching/find-command.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { type Match, matching } from './match.ts';
import { findRows, readAll } from './row-reader.ts';

/** A way to look up catalog records: by id, by an owner's xref, or by the normalized form of a name. */
export type RecordKey =
  | { readonly id: string }
  | { readonly workspace: string; readonly xtype: string; readonly owner: string; readonly xref: string }
  | { readonly workspace: string; readonly xtype: string; readonly nameKey: string };

/** The fields read from a record: those it is found by, ranked by and displayed with, and any deletion mark. */
const PARTS = {
  ...{ workspace: 1, xtype: 1, owner: 1, xref: 1, name_key: 1, created_at: 1 },
  ...{ readers: 1, deleting_at: 1, 'body.name': 1, 'body.xref': 1 },
};

/** Finds catalog records by many keys at once; outside a transaction, searches of one turn of the event loop are batched into one call. */
export class RecordSearch {
  readonly #records: Collection<StoredCatalogRecord>;
  /** The records for each key; null if a whole call would be too large. */
  readonly #joined: BatchedReads<Entity[] | null>;

  constructor(records: Collection<StoredCatalogRecord>) {
    this.#records = records;
    this.#joined = new BatchedReads(async (texts) => {
      const find = findOf(texts.map((text) => JSON.parse(text) as RecordKey));
      const { nodes, hasMore } = await findRows(records, find, Number.POSITIVE_INFINITY);
      return hasMore ? new Map(texts.map((text) => [text, null])) : byKey(nodes);
    });
  }

  /**
   * Every record that any of the keys denotes, unordered, and possibly more; the key of another workspace's record finds it too.
   * Only the fields references need are read; TOO_LARGE if they are too large together.
   */
  async find(keys: readonly RecordKey[], tx?: Transaction): Promise<Entity[]> {
    if (tx) return this.#findAlone(keys, tx);
    const lists = await this.#joined.many(keys.map(textOf));
    return lists.includes(null) ? this.#findAlone(keys) : [...new Set(lists.flatMap((list) => list ?? []))];
  }

  #findAlone(keys: readonly RecordKey[], tx?: Transaction): Promise<Entity[]> {
    return readAll(cursorOf(this.#records, findOf(keys), tx));
  }
}

const findOf = (keys: readonly RecordKey[]): FindCommand<StoredCatalogRecord> => ({
  filter: matching<StoredCatalogRecord>(matchesOf(keys)),
  projection: PARTS,
  batchSize: 100_000,
});

const textOf = (key: RecordKey): string => JSON.stringify(key);

/** Keys of one workspace that differ in catalog and in the value of one field. */
interface Group {
  readonly scope: Match;
  readonly field: 'xref' | 'name_key';
  readonly xtypes: Map<string, Set<string>>;
}

/** The most combinations of catalogs and values looked up in the index by one branch of a query. */
const COMBINATIONS = 200;

function matchesOf(keys: readonly RecordKey[]): Match[] {
  const ids = new Set<string>();
  const groups = new Map<string, Group>();
  for (const key of keys) {
    if ('id' in key) {
      ids.add(key.id);
      continue;
    }
    const [field, value] = 'xref' in key ? (['xref', key.xref] as const) : (['name_key', key.nameKey] as const);
    const owner = 'xref' in key ? { owner: key.owner } : {};
    const name = 'xref' in key ? `${key.workspace} ${key.owner}` : key.workspace;
    const group = groups.get(name) ?? { scope: { workspace: key.workspace, ...owner }, field, xtypes: new Map() };
    groups.set(name, group);
    const values = group.xtypes.get(key.xtype);
    if (values) values.add(value);
    else group.xtypes.set(key.xtype, new Set([value]));
  }
  const branches = [...groups.values()].flatMap(branchesOf);
  return ids.size > 0 ? [...branches, { _id: [...ids] }] : branches;
}

/** A few keys form one branch that finds a superset; MongoDB plans one branch much faster than many. */
function branchesOf({ scope, field, xtypes }: Group): Match[] {
  const values = new Set([...xtypes.values()].flatMap((some) => [...some]));
  if (xtypes.size * values.size <= COMBINATIONS) {
    return [{ ...scope, xtype: [...xtypes.keys()], [field]: [...values] }];
  }
  return [...xtypes].map(([xtype, own]) => ({ ...scope, xtype, [field]: [...own] }));
}

/** The records by each key that denotes them. */
function byKey(found: readonly Entity[]): Map<string, Entity[]> {
  const lists = new Map<string, Entity[]>();
  const add = (key: RecordKey, record: Entity) => {
    const text = textOf(key);
    const list = lists.get(text);
    if (list) list.push(record);
    else lists.set(text, [record]);
  };
  for (const record of found) {
    const workspace = String(record.workspaceId);
    const xtype = String(record.stored('xtype'));
    const xref = record.stored('xref');
    add({ id: record.id }, record);
    add({ workspace, xtype, nameKey: String(record.stored('name_key')) }, record);
    if (typeof xref === 'string') add({ workspace, xtype, owner: String(record.stored('owner')), xref }, record);
  }
  return lists;
}

/**
 * How many references are cached, of how many characters in total (names may be long), and for how long after they were last
 * verified: briefly, since another gateway may change a record, and a request relying on a stale entry has to undo its write.
 */
const REMEMBERED = {
  max: 20_000,
  maxSize: 4_000_000,
  sizeCalculation: (_: Remembered, key: string) => key.length,
  ttl: 60_000,
};
/** The most workspaces whose record changes by this process are tracked. */
const CHANGED = 10_000;

/** The record of a reference, and its workspace's change counter at that time. */
interface Remembered {
  readonly record: string;
  readonly changes: number;
}

/**
 * The ids of the records that references in a workspace recently resolved to, keyed by reference text. They may be stale: users of
 * these must verify afterwards.
 */
export class RememberedReferences {
  readonly #records = new LRUCache<string, Remembered>(REMEMBERED);
  readonly #changes = new LRUCache<string, number>({ max: CHANGED });
  #changed = 0;

  /** The record of each reference; undefined if any of them is not cached. */
  recordsOf(workspace: string, references: readonly string[]): string[] | undefined {
    const changes = this.#changesIn(workspace);
    const records: string[] = [];
    for (const reference of references) {
      const known = this.#records.get(`${workspace} ${reference}`);
      if (known?.changes !== changes) return undefined;
      records.push(known.record);
    }
    return records;
  }

  /** Caches the record of a reference, as just read. */
  remember(workspace: string, reference: string, record: string): void {
    this.#records.set(`${workspace} ${reference}`, { record, changes: this.#changesIn(workspace) });
  }

  /** Invalidates the references of a workspace in which this process has changed a record. */
  forget(workspace: string): void {
    this.#changes.set(workspace, ++this.#changed);
  }

  #changesIn(workspace: string): number {
    return this.#changes.get(workspace) ?? 0;
  }
}
