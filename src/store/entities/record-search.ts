import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { BatchedReads } from '../batching/batched-reads.ts';
import { cursorOf, type FindCommand } from '../batching/find-command.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { type Match, matching } from './match.ts';
import { findRows, readAll } from './row-reader.ts';

/** One way to look for catalog records: by id, by an owner's xref, or by the form of a name in which names compare. */
export type RecordKey =
  | { readonly id: string }
  | { readonly workspace: string; readonly xtype: string; readonly owner: string; readonly xref: string }
  | { readonly workspace: string; readonly xtype: string; readonly nameKey: string };

/** What is read of a record: by what it is found, which of several comes first, what is shown of it, and whether a deletion has marked it. */
const PARTS = {
  ...{ workspace: 1, xtype: 1, owner: 1, xref: 1, name_key: 1, created_at: 1 },
  ...{ readers: 1, deleting_at: 1, 'body.name': 1, 'body.xref': 1 },
};

/** Finds catalog records by many keys at once; outside a transaction, searches of one turn of the event loop are one call. */
export class RecordSearch {
  readonly #records: Collection<StoredCatalogRecord>;
  /** What is found by each key; null where all of a call is too much together. */
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
   * Every record that any of the keys means, in no order, and maybe more; a key of another workspace's record finds it too. Of each,
   * nothing is read but what references need; TOO_LARGE if that is too much together.
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

/** Keys of one workspace that differ in their catalog and in the value of one field. */
interface Group {
  readonly scope: Match;
  readonly field: 'xref' | 'name_key';
  readonly xtypes: Map<string, Set<string>>;
}

/** At most so many combinations of catalogs and values are looked up in the index by one branch of a query. */
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

/** The records under each key that means them. */
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
 * How many references are remembered, of how many characters together (a name may have many), and for how long after they were last
 * found right: briefly, since another gateway may change a record, and whoever goes by what was true before has to take its document back.
 */
const REMEMBERED = {
  max: 20_000,
  maxSize: 4_000_000,
  sizeCalculation: (_: Remembered, key: string) => key.length,
  ttl: 60_000,
};
/** How many workspaces are known to have had a record changed by this process. */
const CHANGED = 10_000;

/** The record of a reference, and how often records of its workspace had been changed then. */
interface Remembered {
  readonly record: string;
  readonly changes: number;
}

/**
 * The ids of the records that references in a workspace meant lately, by the references as texts. They may mean others by now: whoever
 * goes by them has to look afterwards.
 */
export class RememberedReferences {
  readonly #records = new LRUCache<string, Remembered>(REMEMBERED);
  readonly #changes = new LRUCache<string, number>({ max: CHANGED });
  #changed = 0;

  /** The record of each of the references; undefined if one of them is not remembered. */
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

  /** Remembers the record of a reference, as it has just been read. */
  remember(workspace: string, reference: string, record: string): void {
    this.#records.set(`${workspace} ${reference}`, { record, changes: this.#changesIn(workspace) });
  }

  /** Forgets the references of a workspace, of which this process has changed a record. */
  forget(workspace: string): void {
    this.#changes.set(workspace, ++this.#changed);
  }

  #changesIn(workspace: string): number {
    return this.#changes.get(workspace) ?? 0;
  }
}
