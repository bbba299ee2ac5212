import type { Entity } from '../../model/entity/entity.ts';
import type { CatalogRecords } from '../catalogs/catalog-records.ts';

type Found = Entity | undefined;

/** The catalog records of one request, each read once; a loaded record is returned without a promise. */
export class LoadedRecords {
  readonly #records: () => CatalogRecords;
  /** The loaded records, or the promises of their reads. */
  readonly #known = new Map<string, Found | Promise<Found>>();
  /** The batch reads in progress, by id. */
  readonly #reading = new Map<string, Promise<void>>();

  constructor(records: () => CatalogRecords) {
    this.#records = records;
  }

  one(id: unknown): Found | Promise<Found> {
    if (typeof id !== 'string') return undefined;
    const known = this.#known.get(id);
    if (known !== undefined || this.#known.has(id)) return known;
    const reading = this.#reading.get(id);
    if (reading) return reading.then(() => this.one(id));
    const asked = this.#records().findVisible(id);
    this.#known.set(id, asked);
    return asked;
  }

  /** The records with these ids, without missing ones. */
  many(ids: unknown): Entity[] | Promise<Entity[]> {
    if (!Array.isArray(ids) || ids.length === 0) return [];
    const records = ids.map((id) => this.one(id));
    const isThere = (record: Found): record is Entity => record !== undefined;
    return records.some((record) => record instanceof Promise)
      ? Promise.all(records).then((all) => all.filter(isThere))
      : (records as Found[]).filter(isThere);
  }

  /** Prefetches records in one batch; undefined if all are loaded. */
  readTogether(ids: ReadonlySet<string>): Promise<unknown> | undefined {
    const wanted: string[] = [];
    const pending = new Set<Promise<void>>();
    for (const id of ids) {
      if (this.#known.has(id)) continue;
      const reading = this.#reading.get(id);
      if (reading) pending.add(reading);
      else wanted.push(id);
    }
    if (wanted.length > 0) pending.add(this.#read(wanted));
    return pending.size < 2 ? [...pending][0] : Promise.all(pending);
  }

  #read(ids: readonly string[]): Promise<void> {
    const reading = Promise.try(() => this.#records().findTogether(ids)).then(
      (found) => {
        for (const id of ids) this.#reading.delete(id);
        for (const [id, record] of found ?? []) this.#known.set(id, record);
      },
      (error: unknown) => {
        // Every field that needs one of the records reports the error, as if each had been read separately.
        const failed = Promise.reject(error);
        failed.catch(() => undefined);
        for (const id of ids) {
          this.#reading.delete(id);
          this.#known.set(id, failed);
        }
      },
    );
    for (const id of ids) this.#reading.set(id, reading);
    return reading;
  }
}
