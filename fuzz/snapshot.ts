import type { Db, Document } from 'mongodb';

/** What goes on by itself, or only grows and is asked for in pages. */
const LEFT_ALONE = ['leases', 'events', 'migrations', 'stored_form'];

/** A database as it was, to which it can be set back, so that requests meet the same however many came before them. */
export class Snapshot {
  readonly #db: Db;
  readonly #stored: ReadonlyMap<string, readonly Document[]>;

  private constructor(db: Db, stored: ReadonlyMap<string, readonly Document[]>) {
    this.#db = db;
    this.#stored = stored;
  }

  static async of(db: Db): Promise<Snapshot> {
    const stored = new Map<string, readonly Document[]>();
    for (const { name, type } of await db.listCollections().toArray()) {
      if (type !== 'collection' || name.startsWith('system.') || LEFT_ALONE.includes(name)) continue;
      stored.set(name, await db.collection(name).find({}, { promoteValues: false }).toArray());
    }
    return new Snapshot(db, stored);
  }

  async restore(): Promise<void> {
    await Promise.all(
      [...this.#stored].map(async ([name, documents]) => {
        await this.#db.collection(name).deleteMany({});
        if (documents.length > 0) await this.#db.collection(name).insertMany([...documents]);
      }),
    );
  }
}
