import type { EntityCursor, Rows } from '../entities/row-reader.ts';

/** A list that waits its turn to read each part. */
export class ListInTurn implements EntityCursor {
  readonly #list: EntityCursor;
  readonly #inTurn: (read: () => Promise<Rows>) => Promise<Rows>;

  constructor(list: EntityCursor, inTurn: (read: () => Promise<Rows>) => Promise<Rows>) {
    this.#list = list;
    this.#inTurn = inTurn;
  }

  async read(count: number): Promise<Rows> {
    try {
      return await this.#inTurn(() => this.#list.read(count));
    } catch (error) {
      await this.close(); // its turn may never have come
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#list.close();
  }
}
