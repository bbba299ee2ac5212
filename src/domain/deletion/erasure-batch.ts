import type { Stored } from '../../model/entity/entity.ts';
import type { EntityCollection } from '../../store/entities/entity-collection.ts';
import type { Match } from '../../store/entities/match.ts';
import type { Stores } from '../../store/stores.ts';
import { eraseAttachments } from './erase-attachments.ts';
import { eraseTraced, type TracedDeletion } from './erase-traced.ts';

/*
 * The limits of one transaction of a deletion. MongoDB holds everything a transaction writes in its cache (each entity's change stream
 * image, tombstone and audit log entry), and a commit has the time limit of one write.
 */
export const MOST_VERSIONS = 1_000;
/** Of BSON. */
export const MOST_BYTES = 4_000_000;

/** Erases the dependents of a deletion in its transaction, as far as they fit in the batch. */
export class ErasureBatch {
  readonly #stores: Stores;
  readonly #deletion: TracedDeletion;
  #versions = MOST_VERSIONS;
  #bytes = MOST_BYTES;
  #isFull = false;

  constructor(stores: Stores, deletion: TracedDeletion) {
    this.#stores = stores;
    this.#deletion = deletion;
  }

  /** Whether something did not fit. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Erases as many matching entities as fit; returns their ids. */
  async erase<S extends Stored>(collection: EntityCollection<S>, match: Match): Promise<string[]> {
    const ids = await this.#take(collection, match);
    if (ids.length > 0) await eraseTraced(this.#stores, { collection, match: { ...match, _id: ids } }, this.#deletion);
    return ids;
  }

  /** Like `erase`, for attachments; returns the ids of their files, whose contents are erased after the commit. */
  async eraseAttachments(match: Match): Promise<string[]> {
    const ids = await this.#take(this.#stores.attachments, match);
    return ids.length > 0 ? eraseAttachments(this.#stores, { ...match, _id: ids }, this.#deletion) : [];
  }

  /** The first entity is always taken, however large it is. */
  async #take<S extends Stored>(collection: EntityCollection<S>, match: Match): Promise<string[]> {
    if (this.#isFull) return [];
    const taken: string[] = [];
    const limit = Math.max(this.#versions, 0) + 1;
    for (const { _id, bytes, revision } of await collection.sizes(match, limit, this.#deletion.tx)) {
      const isFirst = this.#versions === MOST_VERSIONS;
      this.#isFull = !isFirst && (revision > this.#versions || bytes > this.#bytes);
      if (this.#isFull) break;
      this.#versions -= revision;
      this.#bytes -= bytes;
      taken.push(_id);
    }
    return taken;
  }
}
