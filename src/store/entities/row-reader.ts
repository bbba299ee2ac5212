import type { AbstractCursor, Collection, Document, Filter, Long } from 'mongodb';
import { ServiceError } from '../../errors.ts';
import { cursorOf, type FindCommand, type FirstReply, firstReply, rowsOfOneReply } from '../batching/find-command.ts';
import { AT_ONE_TIME, atSomeTime } from '../connection/snapshot-reads.ts';
import { matching } from './match.ts';
import { RawEntity } from './read-entity.ts';

/**
 * The most bytes of BSON in the rows of one page, unless it is a single row: the page ends before that. A MongoDB reply holds 16
 * MiB, so one reply nearly always suffices to tell that the list continues.
 */
const PAGE_BYTES = 12 * 1024 * 1024;
/** The same for entities read by id for several requests together. */
const BYTES_BY_ID = 32 * 1024 * 1024;

/** Rows of a list that were read together. */
export interface Rows {
  readonly nodes: readonly RawEntity[];
  /** Whether the list continues after them. */
  readonly hasMore: boolean;
}

/** The rest of a list, read on demand. */
export interface EntityCursor {
  /** The next rows: `count`, or fewer at the end of the list or if more would be too large together. */
  read(count: number): Promise<Rows>;
  close(): Promise<void>;
}

/** Ends a cursor in MongoDB; an error is of no consequence, as MongoDB ends cursors that are idle for ten minutes. */
export type KillCursor = (id: Long) => Promise<unknown>;

/** Reads the raw rows of a query reply by reply, holding at most one reply beyond the requested rows. */
export class RowReader implements EntityCursor {
  readonly #cursor: AbstractCursor;
  readonly #kill: KillCursor | undefined;
  /** The rest of the last reply. */
  #received: Uint8Array[] = [];
  #taken = 0;

  /** `kill` ends the cursor in MongoDB, where the driver cannot. */
  constructor(cursor: AbstractCursor, kill?: KillCursor) {
    this.#cursor = cursor;
    this.#kill = kill;
  }

  async read(count: number, most = PAGE_BYTES): Promise<Rows> {
    const nodes: RawEntity[] = [];
    let bytes = 0;
    for (;;) {
      for (; this.#taken < this.#received.length; this.#taken++) {
        const row = this.#received[this.#taken] as Uint8Array;
        bytes += row.byteLength;
        if (nodes.length === count || (nodes.length > 0 && bytes > most)) return { nodes, hasMore: true };
        nodes.push(new RawEntity(row));
      }
      if (!(await this.#receive())) return { nodes, hasMore: false };
    }
  }

  async close(): Promise<void> {
    this.#received = [];
    this.#taken = 0;
    const { id } = this.#cursor;
    await this.#cursor.close();
    if (id && !id.isZero()) await this.#kill?.(id);
  }

  /** Fetches the next reply once every row of the last is consumed; false at the end of the list. */
  async #receive(): Promise<boolean> {
    this.#received = [];
    this.#taken = 0;
    if (this.#cursor.closed || !(await this.#cursor.hasNext())) return false;
    this.#received = this.#cursor.readBufferedDocuments();
    return true;
  }
}

/** The first rows of a query that asks for one extra row; reads no further ones. */
export async function readRows(cursor: AbstractCursor, count: number, most = PAGE_BYTES): Promise<Rows> {
  const reader = new RowReader(cursor);
  const rows = await reader.read(count, most);
  if (!cursor.closed) await reader.close();
  return rows;
}

/** The first rows of a find that asks for one extra row, or fewer if they are very large, and whether there are more. */
export async function findRows<S extends Document>(
  collection: Collection<S>,
  find: FindCommand<S>,
  count: number,
): Promise<Rows> {
  const reply = await firstReply(collection, find);
  return reply ? rowsIn(reply, count) : readRows(cursorOf(collection, find), count);
}

const rowsIn = ({ rows, isWhole }: FirstReply, count: number): Rows => ({
  nodes: rows.slice(0, count).map((row) => new RawEntity(row)),
  hasMore: !isWhole || rows.length > count,
});

/** Reads entities of a collection by id, or as many as can be read together, in full or as projected. */
export const readById =
  <S extends Document>(collection: Collection<S>, projection?: Document) =>
  async (ids: readonly string[]): Promise<Rows> => {
    const count = ids.length;
    const find = { filter: matching<S>({ _id: ids }), batchSize: count + 1, ...(projection && { projection }) };
    const reply = await firstReply(collection, find);
    return reply?.isWhole ? rowsIn(reply, count) : readRows(cursorOf(collection, find), count, BYTES_BY_ID);
  };

/**
 * The most bytes of BSON for entities not read page by page, such as those below each job of a page, or the records that one
 * request's jobs refer to.
 */
export const RELATED_BYTES = 64 * 1024 * 1024;

/** All rows of a find, together and as of one point in time; TOO_LARGE like `readAll`. */
export async function findAll<S extends Document>(
  collection: Collection<S>,
  find: FindCommand<S>,
): Promise<RawEntity[]> {
  const asked = { ...find, ...AT_ONE_TIME };
  return atSomeTime(async () => {
    const rows = await rowsOfOneReply(collection, asked);
    return rows ? rows.map((row) => new RawEntity(row)) : readAll(cursorOf(collection, asked));
  });
}

/** Whether anything matches a filter. */
export async function hasRow<S extends Document>(collection: Collection<S>, filter: Filter<S>): Promise<boolean> {
  const { nodes } = await findRows(collection, { filter, projection: { _id: 1 }, limit: 1, batchSize: 2 }, 1);
  return nodes.length > 0;
}

/** All rows of a query at once; TOO_LARGE as soon as they exceed the byte limit together. */
export async function readAll(cursor: AbstractCursor): Promise<RawEntity[]> {
  const entities: RawEntity[] = [];
  let bytes = 0;
  while (!cursor.closed && (await cursor.hasNext())) {
    for (const row of cursor.readBufferedDocuments() as Uint8Array[]) {
      bytes += row.byteLength;
      entities.push(new RawEntity(row));
    }
    if (bytes <= RELATED_BYTES) continue;
    await cursor.close();
    throw relatedTooLarge();
  }
  return entities;
}

/** The error for related entities that exceed the limit together. */
export const relatedTooLarge = (): ServiceError =>
  new ServiceError(
    'TOO_LARGE',
    `The related entities have more than the ${RELATED_BYTES} bytes together that are read at once. Ask for fewer at a time.`,
  );
