import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { type CatalogReference, nameKeyOf } from './catalog-reference.ts';

type IndexedPart = 'xtype' | 'owner' | 'name_key' | 'xref';

/** A record that references may mean. */
export interface KnownRecord {
  readonly id: string;
  /** As it is stored; undefined for a record that this request creates. */
  readonly entity: Entity | undefined;
  /** As this request creates or changes it. */
  readonly written: StoredCatalogRecord | undefined;
}

/** Records indexed by id, xref and name; among equal names, those of the caller's party and older ones win. */
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
    for (const { entity, id } of oldestFirst) this.#put({ id, entity, written: undefined });
  }

  /** Adds a record as this request creates or changes it. */
  write(written: StoredCatalogRecord): void {
    const { _id: id, xtype } = written;
    this.#put({ id, entity: this.#byId.get(`${xtype} ${id}`)?.entity, written });
  }

  /** The record that a reference means (contract §6). */
  match(reference: CatalogReference): KnownRecord | undefined {
    const { catalog, id, xref } = reference;
    const name = nameKeyOf(reference);
    const found =
      id ??
      (xref === undefined ? undefined : this.#byXref.get(`${catalog} ${xref}`)) ??
      (name === undefined ? undefined : this.#byName.get(`${catalog} ${name}`));
    return found === undefined ? undefined : this.#byId.get(`${catalog} ${found}`);
  }

  /** All that this request creates or changes. */
  *written(): Generator<KnownRecord & { readonly written: StoredCatalogRecord }> {
    for (const { id, entity, written } of this.#byId.values()) if (written) yield { id, entity, written };
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

const partOf = ({ entity, written }: KnownRecord, part: IndexedPart): unknown =>
  written ? written[part] : entity?.stored(part);
