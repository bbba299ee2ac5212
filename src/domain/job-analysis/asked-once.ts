import type { PlacedEntity } from '../../model/entity/entity.ts';

/** The answers to one question about entities. Each is found once, and shared by all who ask; failures are not kept. */
export class AskedOnce<T> {
  readonly #answers = new Map<string, Promise<T>>();

  /** The number of answers that are kept. */
  get size(): number {
    return this.#answers.size;
  }

  clear(): void {
    this.#answers.clear();
  }

  /** The answer about an entity, read now unless it is kept; `terms`, as JSON, tell apart several answers about one entity. */
  of({ workspaceId, id }: PlacedEntity, read: () => Promise<T>, terms?: unknown): Promise<T> {
    const key = terms === undefined ? `${workspaceId} ${id}` : `${workspaceId} ${id} ${JSON.stringify(terms)}`;
    const asked = this.#answers.get(key);
    if (asked) return asked;
    const reading = read();
    this.#answers.set(key, reading);
    reading.catch(() => this.#answers.delete(key));
    return reading;
  }
}
