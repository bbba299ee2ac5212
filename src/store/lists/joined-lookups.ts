import { Departures } from '../batching/departures.ts';
import { type Condition, keyOf, type Query, roughly, type TimeLimit } from '../entities/query.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import type { Rows } from '../entities/row-reader.ts';

/** What few entities have the same value of, and an index has. */
const NAMES: ReadonlySet<string> = new Set(['name_key', 'xref']);
/** How many entities of a joined read are held at most; beyond that, each look-up reads by itself. */
const MOST_ROWS = 1_000;
/** The most characters of a text that is looked for together with others: MongoDB takes 16 MB at once. */
const LONGEST = 1_000;

/** How many entities a look-up may find, and how long MongoDB may take. */
export interface FewWindow extends TimeLimit {
  readonly limit: number;
}

interface Joined {
  readonly values: Set<string>;
  /** What was found by each value; undefined where it is too much together. */
  readonly found: Promise<ReadonlyMap<unknown, readonly RawEntity[]> | undefined>;
}

/** A stored text and what it has to be. */
type Text = readonly [stored: string, value: string];

/**
 * Looks for the few entities that have exactly the texts of a query, one of them a name. Look-ups in one scope that are asked for
 * in the same turn of the event loop, or while such a read is under way, across requests, are one read. Nothing is cached.
 */
export class JoinedLookups {
  readonly #read: (query: Query, window: FewWindow) => Promise<Rows>;
  readonly #departures: Departures;
  readonly #open = new Map<string, Joined>();

  constructor(read: (query: Query, window: FewWindow) => Promise<Rows>, departures = new Departures()) {
    this.#read = read;
    this.#departures = departures;
  }

  /** What a query keeps, in no order, where it is not more than `limit`; undefined where it is. */
  async few(query: Query, window: FewWindow): Promise<readonly RawEntity[] | undefined> {
    const texts = textsOf(query);
    const found = texts && (await this.#found(query, texts, window));
    if (found) return found.length > window.limit ? undefined : found;
    const { nodes, hasMore } = await this.#read(query, window);
    return hasMore ? undefined : nodes;
  }

  async #found(
    { scope }: Query,
    texts: readonly [Text, ...Text[]],
    time: TimeLimit,
  ): Promise<readonly RawEntity[] | undefined> {
    const [[first, value], ...others] = texts;
    const joined = this.#joined({ scope, first, time });
    joined.values.add(value);
    const found = await joined.found;
    if (!found) return undefined;
    const all = found.get(value) ?? [];
    return all.filter((entity) => others.every(([stored, wanted]) => entity.stored(stored) === wanted));
  }

  /** The read that is being gathered. */
  #joined({ scope, first, time }: { scope: Query['scope']; first: string; time: TimeLimit }): Joined {
    const key = keyOf(scope, first, roughly(time));
    const open = this.#open.get(key);
    if (open) return open;
    const values = new Set<string>();
    const found = this.#departures.leave(key, async () => {
      this.#open.delete(key);
      const conditions = [{ stored: first, anyOf: [...values] }];
      const { maxTimeMS } = time;
      const window = { limit: MOST_ROWS, ...(maxTimeMS !== undefined && { maxTimeMS }) };
      const { nodes, hasMore } = await this.#read({ scope, conditions, order: [] }, window);
      return hasMore ? undefined : Map.groupBy(nodes, (entity) => entity.stored(first));
    });
    const joined = { values, found };
    this.#open.set(key, joined);
    return joined;
  }
}

/** The texts that a query asks for, a name first; undefined where it asks for anything else, for a long text, or for no name. */
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
