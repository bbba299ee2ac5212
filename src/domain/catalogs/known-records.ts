import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { type CatalogReference, nameKeyOf } from './catalog-reference.ts';

type IndexedPart = 'xtype' | 'owner' | 'name_key' | 'xref';

/** A record that a reference may match. */
export interface KnownRecord {
  readonly id: string;
  /** The stored record; undefined for a record that this request creates. */
  readonly entity: Entity | undefined;
  /** The record as this request creates it; undefined for a stored record. */
  readonly created: StoredCatalogRecord | undefined;
  /** The xref that this request adds to a record stored without one. */
  readonly added?: string;
}

/** A stored record and the xref to add to it. */
export interface AddedXref {
  readonly id: string;
  readonly xref: string;
}

/** Records indexed by id, xref and name; among equal names, the caller's party's records win, then older ones. */
export class KnownRecords {
  readonly #owner: string;
  readonly #byId = new Map<string, KnownRecord>();
  /** The ids of the records by their xrefs and names. */
  readonly #byXref = new Map<string, string>();
  readonly #byName = new Map<string, string>();

  constructor(owner: string, records: readonly Entity[]) {
    this.#owner = owner;
    const oldestFirst = records
      .map((entity) => ({ entity, id: entity.id, at: entity.createdAt.getTime() }))
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    for (const { entity, id } of oldestFirst) this.#put({ id, entity, created: undefined });
  }

  /** Adds a record that this request creates, or replaces it with its latest state. */
  create(created: StoredCatalogRecord): void {
    this.#put({ id: created._id, entity: undefined, created });
  }

  /** Adds an xref to a stored record. */
  addXref(record: KnownRecord, added: string): void {
    this.#put({ ...record, added });
  }

  /** The record that a reference matches (contract §6). */
  match(reference: CatalogReference): KnownRecord | undefined {
    const { catalog, id, xref } = reference;
    const name = nameKeyOf(reference);
    const found =
      id ??
      (xref === undefined ? undefined : this.#byXref.get(`${catalog} ${xref}`)) ??
      (name === undefined ? undefined : this.#byName.get(`${catalog} ${name}`));
    return found === undefined ? undefined : this.#byId.get(`${catalog} ${found}`);
  }

  /** All records that this request creates. */
  created(): StoredCatalogRecord[] {
    return [...this.#byId.values()].flatMap(({ created }) => created ?? []);
  }

  /** All stored records to which this request adds an xref. */
  addedXrefs(): AddedXref[] {
    return [...this.#byId.values()].flatMap(({ id, added }) => (added === undefined ? [] : [{ id, xref: added }]));
  }

  #put(record: KnownRecord): void {
    const { id } = record;
    const xtype = partOf(record, 'xtype');
    const isOwn = this.#isOwn(record);
    this.#byId.set(`${xtype} ${id}`, record);
    const name = `${xtype} ${partOf(record, 'name_key')}`;
    const namesake = this.#byId.get(`${xtype} ${this.#byName.get(name)}`);
    if (!namesake || (isOwn && !this.#isOwn(namesake))) this.#byName.set(name, id);
    const xref = partOf(record, 'xref');
    if (isOwn && xref !== undefined) this.#byXref.set(`${xtype} ${xref}`, id);
  }

  #isOwn(record: KnownRecord): boolean {
    return partOf(record, 'owner') === this.#owner;
  }
}

const partOf = ({ entity, created, added }: KnownRecord, part: IndexedPart): unknown =>
  created ? created[part] : part === 'xref' && added !== undefined ? added : entity?.stored(part);
