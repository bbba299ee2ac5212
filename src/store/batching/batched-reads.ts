import { Departures } from './departures.ts';

/** The most keys of one joined call, and the most characters unless they come from one caller: MongoDB accepts 16 MB at once. */
const MAX_JOINED = 1_000;
const MAX_CHARACTERS = 1_000_000;

interface Batch<T> {
  readonly keys: Set<string>;
  characters: number;
  readonly found: Promise<ReadonlyMap<string, T>>;
}

/**
 * Batches reads requested in the same turn of the event loop, or while another call is in flight, across requests, into one call.
 * Nothing is cached. Each caller must check who may see an answer, since batches span tenants.
 */
export class BatchedReads<T> {
  readonly #read: (keys: string[]) => Promise<ReadonlyMap<string, T>>;
  readonly #departures: Departures;
  #open: Batch<T> | undefined;

  constructor(read: (keys: string[]) => Promise<ReadonlyMap<string, T>>, departures = new Departures()) {
    this.#read = read;
    this.#departures = departures;
  }

  /** The value of a key; undefined if there is none. */
  one(key: string): Promise<T | undefined> {
    return this.with(key).then((found) => found.get(key));
  }

  /** The results for all keys of the batch that includes this key. */
  with(key: string): Promise<ReadonlyMap<string, T>> {
    const batch = this.#batchFor(key.length);
    batch.keys.add(key);
    return batch.found;
  }

  /** The same for several keys. */
  withAll(keys: readonly string[]): Promise<ReadonlyMap<string, T>> {
    const batch = this.#batchFor(keys.reduce((sum, { length }) => sum + length, 0));
    for (const key of keys) batch.keys.add(key);
    return batch.found;
  }

  /** The values of the keys, in order; undefined where there is none. */
  async many(keys: readonly string[]): Promise<(T | undefined)[]> {
    const found = await this.withAll(keys);
    return keys.map((key) => found.get(key));
  }

  /** The batch being gathered, or a new one if it has no room for so many characters. */
  #batchFor(characters: number): Batch<T> {
    const open = this.#open;
    if (open && open.keys.size < MAX_JOINED && open.characters + characters <= MAX_CHARACTERS) {
      open.characters += characters;
      return open;
    }
    const keys = new Set<string>();
    const found = this.#departures.leave('', () => {
      if (this.#open === batch) this.#open = undefined;
      return this.#read([...keys]);
    });
    const batch: Batch<T> = { keys, characters, found };
    this.#open = batch;
    return batch;
  }
}
