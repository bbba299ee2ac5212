import type { ClientSession, Filter } from 'mongodb';
import type { Entity, StoredCatalogRecord } from '../model/entity.ts';
import type { EntityCollection } from './entity-collection.ts';
import { JoinedReads } from './joined-reads.ts';

/** One way to look for catalog records: by id, by an owner's xref, or by the form of a name in which names compare. */
export type RecordKey =
  | { readonly id: string }
  | { readonly workspace: string; readonly xtype: string; readonly owner: string; readonly xref: string }
  | { readonly workspace: string; readonly xtype: string; readonly nameKey: string };

/** Finds catalog records by many keys at once; outside a transaction, searches of one turn of the event loop are one call. */
export class RecordSearch {
  readonly #records: EntityCollection<StoredCatalogRecord>;
  readonly #joined: JoinedReads<Entity[]>;

  constructor(records: EntityCollection<StoredCatalogRecord>) {
    this.#records = records;
    this.#joined = new JoinedReads(async (texts) => {
      const found = await records.findMany(filterOf(texts.map((text) => JSON.parse(text) as RecordKey)));
      return byKey(found);
    });
  }

  /** Every record that any of the keys means, in no order; a key of another workspace's record finds it too. */
  async find(keys: readonly RecordKey[], session?: ClientSession): Promise<Entity[]> {
    if (session) return this.#records.findMany(filterOf(keys), session);
    const lists = await this.#joined.many(keys.map(textOf));
    return [...new Set(lists.flatMap((list) => list ?? []))];
  }
}

const textOf = (key: RecordKey): string => JSON.stringify(key);

function filterOf(keys: readonly RecordKey[]): Filter<StoredCatalogRecord> {
  const ids = new Set<string>();
  const groups = new Map<
    string,
    { readonly scope: object; readonly field: 'xref' | 'name_key'; readonly values: Set<string> }
  >();
  for (const key of keys) {
    if ('id' in key) {
      ids.add(key.id);
      continue;
    }
    const { workspace, xtype } = key;
    const byXref = 'xref' in key;
    const scope = byXref ? { workspace, xtype, owner: key.owner } : { workspace, xtype };
    const name = JSON.stringify(scope);
    const group = groups.get(name) ?? { scope, field: byXref ? 'xref' : 'name_key', values: new Set() };
    group.values.add(byXref ? key.xref : key.nameKey);
    groups.set(name, group);
  }
  const branches: object[] = [...groups.values()].map(({ scope, field, values }) => ({
    ...scope,
    [field]: { $in: [...values] },
  }));
  if (ids.size > 0) branches.push({ _id: { $in: [...ids] } });
  return branches.length === 1
    ? (branches[0] as Filter<StoredCatalogRecord>)
    : ({ $or: branches } as Filter<StoredCatalogRecord>);
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
