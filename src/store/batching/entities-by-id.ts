import type { RawEntity } from '../entities/read-entity.ts';
import { RELATED_BYTES, type Rows, relatedTooLarge } from '../entities/row-reader.ts';
import { BatchedReads } from './batched-reads.ts';

/** Reads an entity left out of a joined call because the whole would have been too large. */
type ReadAlone = () => Promise<RawEntity | undefined>;

/** The reading request. */
export interface Reader {
  readonly tenant: string;
  /** Counts the bytes of an entity the request holds until it is answered; TOO_LARGE if they are too many. */
  hold(bytes: number): void;
}

/**
 * Entities by id, batched with those other requests ask for at about the same time. Entities that do not fit into one call
 * together are read one by one as they are handed over, so that at most one call's worth is held here.
 */
export class EntitiesById {
  readonly #joined: BatchedReads<RawEntity | ReadAlone>;

  /** `read` returns the entities with the ids, or as many as can be read together. */
  constructor(read: (ids: readonly string[]) => Promise<Rows>) {
    this.#joined = new BatchedReads(async (ids) => {
      const { nodes, hasMore } = await read(ids);
      const found = new Map<string, RawEntity | ReadAlone>(nodes.map((entity) => [entity.id, entity]));
      if (!hasMore) return found;
      let last: Promise<unknown> = Promise.resolve();
      for (const id of ids) {
        if (found.has(id)) continue;
        found.set(id, () => {
          const reading = last.then(() => read([id]));
          last = reading.catch(() => undefined);
          return reading.then(({ nodes: [entity] }) => entity);
        });
      }
      return found;
    });
  }

  /** The entity with that id, if there is one. */
  one(id: string): Promise<RawEntity | undefined> {
    return this.#joined.with(id).then((all) => {
      const found = all.get(id);
      return typeof found === 'function' ? found() : found;
    });
  }

  /** The entity with that id if the reader may see it; the reader holds it from then on. */
  visible(id: string, reader: Reader): Promise<RawEntity | undefined> {
    return this.#joined.with(id).then((all) => {
      const found = all.get(id);
      if (typeof found === 'function') return found().then((entity) => shownTo(reader, entity));
      return shownTo(reader, found);
    });
  }

  /**
   * The entities that can be read together and that the reader may see: undefined for a missing one, and no entry for one that has
   * to be read alone or exceeds what the reader may hold.
   */
  visibleTogether(ids: readonly string[], reader: Reader): Promise<ReadonlyMap<string, RawEntity | undefined>> {
    return this.#joined.withAll(ids).then((all) => {
      const seen = new Map<string, RawEntity | undefined>();
      for (const id of ids) {
        const found = all.get(id);
        if (typeof found === 'function') continue;
        try {
          seen.set(id, shownTo(reader, found));
        } catch {
          break; // reading that one alone reports why
        }
      }
      return seen;
    });
  }

  /** The entities with the ids, in order; TOO_LARGE if they have too many bytes together. */
  async many(ids: readonly string[]): Promise<(RawEntity | undefined)[]> {
    const entities: (RawEntity | undefined)[] = [];
    let bytes = 0;
    for (const found of await this.#joined.many(ids)) {
      const entity = typeof found === 'function' ? await found() : found;
      bytes += entity?.byteLength ?? 0;
      if (bytes > RELATED_BYTES) throw relatedTooLarge();
      entities.push(entity);
    }
    return entities;
  }
}

function shownTo(reader: Reader, entity: RawEntity | undefined): RawEntity | undefined {
  if (!entity?.readers.includes(reader.tenant)) return undefined;
  reader.hold(entity.byteLength);
  return entity;
}
