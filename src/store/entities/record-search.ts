import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { BatchedReads } from '../batching/batched-reads.ts';
import type { Transaction } from '../transactions/transaction.ts';
import type { EntityCollection } from './entity-collection.ts';
import type { Match } from './match.ts';

/** One way to look for catalog records: by id, by an owner's xref, or by the form of a name in which names compare. */
export type RecordKey =
  | { readonly id: string }
  | { readonly workspace: string; readonly xtype: string; readonly owner: string; readonly xref: string }
  | { readonly workspace: string; readonly xtype: string; readonly nameKey: string };

/** Finds catalog records by many keys at once; outside a transaction, searches of one turn of the event loop are one call. */
export class RecordSearch {
  readonly #records: EntityCollection<StoredCatalogRecord>;
  readonly #joined: BatchedReads<Entity[]>;

  constructor(records: EntityCollection<StoredCatalogRecord>) {
    this.#records = records;
    this.#joined = new BatchedReads(async (texts) => {
      const found = await records.findMany(matchesOf(texts.map((text) => JSON.parse(text) as RecordKey)));
      return byKey(found);
    });
  }

  /** Every record that any of the keys means, in no order, and maybe more; a key of another workspace's record finds it too. */
  async find(keys: readonly RecordKey[], tx?: Transaction): Promise<Entity[]> {
    if (tx) return this.#records.findMany(matchesOf(keys), tx);
    const lists = await this.#joined.many(keys.map(textOf));
    return [...new Set(lists.flatMap((list) => list ?? []))];
  }
}

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
