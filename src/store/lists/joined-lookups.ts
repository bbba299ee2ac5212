import { Departures } from '../batching/departures.ts';
import { type Condition, keyOf, type Query, roughly, type TimeLimit } from '../entities/query.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import type { Rows } from '../entities/row-reader.ts';

/** Indexed fields whose values few entities share. */
const NAMES: ReadonlySet<string> = new Set(['name_key', 'xref']);
/** The most entities of a joined read to hold; beyond that, each look-up reads separately. */
const MOST_ROWS = 1_000;
/** The most characters of a text that can join a batch: MongoDB accepts 16 MB at once. */
const LONGEST = 1_000;

/** How many entities a look-up may find, and how long MongoDB may take. */
export interface FewWindow extends TimeLimit {
  readonly limit: number;
}

interface Joined {
  readonly values: Set<string>;
  /** What was found, by value; undefined if the total is too large. */
  readonly found: Promise<ReadonlyMap<unknown, readonly RawEntity[]> | undefined>;
}

/** A stored text and the value it must have. */
type Text = readonly [stored: string, value: string];

/**
 * Finds the few entities that match the texts of a query exactly, one of them a name. Look-ups in one scope made in the same
 * turn of the event loop, or while such a read is in flight, are batched into one read across requests. Nothing is cached.
 */
export class JoinedLookups {
  readonly #read: (query: Query, window: FewWindow) => Promise<Rows>;
  readonly #departures: Departures;
  readonly #open = new Map<string, Joined>();

  constructor(read: (query: Query, window: FewWindow) => Promise<Rows>, departures = new Departures()) {
    this.#read = read;
    this.#departures = departures;
  }

  /** The results of a query, unordered; undefined if there are more than `limit`. */
  async few(query: Query, window: FewWindow): Promise<readonly RawEntity[] | undefined> {
    const texts = textsOf(query);
    const found = texts && (await this.#found(query, texts, window));
    if (found) return found.length > window.limit ? undefined : found;
    const { nodes, hasMore } = await this.#read(query, window);
    return hasMore ? undefined : nodes;
  }

  async #found(
    { reader, scope }: Query,
    texts: readonly [Text, ...Text[]],
    time: TimeLimit,
  ): Promise<readonly RawEntity[] | undefined> {
    const [[first, value], ...others] = texts;
    const joined = this.#joined({ reader, scope, first, time });
    joined.values.add(value);
    const found = await joined.found;
    if (!found) return undefined;
    const all = found.get(value) ?? [];
    return all.filter((entity) => others.every(([stored, wanted]) => entity.stored(stored) === wanted));
  }

  /** The batch that is being collected. */
  #joined({
    reader,
    scope,
    first,
    time,
  }: Pick<Query, 'reader' | 'scope'> & { first: string; time: TimeLimit }): Joined {
    const key = keyOf(reader, scope, first, roughly(time));
    const open = this.#open.get(key);
    if (open) return open;
    const values = new Set<string>();
    const found = this.#departures.leave(key, async () => {
      this.#open.delete(key);
      const conditions = [{ stored: first, anyOf: [...values] }];
      const { maxTimeMS } = time;
      const window = { limit: MOST_ROWS, ...(maxTimeMS !== undefined && { maxTimeMS }) };
      const { nodes, hasMore } = await this.#read({ reader, scope, conditions, order: [] }, window);
      return hasMore ? undefined : Map.groupBy(nodes, (entity) => entity.stored(first));
    });
    const joined = { values, found };
    this.#open.set(key, joined);
    return joined;
  }
}

/** The texts that a query matches, a name first; undefined if it has no name, a long text, or any other condition. */
function textsOf({ conditions, order, after, containing }: Query): readonly [Text, ...Text[]] | undefined {
  if (order.length > 0 || after || containing) return undefined;
  const texts: Text[] = [];
  const areTexts = (some: readonly Condition[]): boolean =>
    some.every((one) => {
      if ('all' in one) return areTexts(one.all);
      if (!('anyOf' in one)) return false;
      const [value, ...more] = one.anyOf;
      if (typeof value !== 'string' || value.length > LONGEST || more.length > 0) return false;
      texts.push([one.stored, value]);
      return true;
    });
  if (!areTexts(conditions)) return undefined;
  const first = texts.find(([stored]) => NAMES.has(stored));
  return first && [first, ...texts.filter((text) => text !== first)];
}
