import type { AbstractCursor, Collection, Document, Filter } from 'mongodb';
import { ServiceError } from '../../errors.ts';
import { cursorOf, type FindCommand, type FirstReply, firstReply, rowsOfOneReply } from '../batching/find-command.ts';
import { AT_ONE_TIME, atSomeTime } from '../connection/snapshot-reads.ts';
import { matching } from './match.ts';
import { RawEntity } from './read-entity.ts';

/**
 * What the rows of one page have together at most as BSON, in bytes, unless it is one row: the page ends before that. A reply of
 * MongoDB has 16 MiB, so that one is nearly always enough to tell that the list goes on.
 */
const PAGE_BYTES = 12 * 1024 * 1024;
/** The same of entities that are read by their ids, for several requests together. */
const BYTES_BY_ID = 32 * 1024 * 1024;

/** Rows of a list, read together. */
export interface Rows {
  readonly nodes: readonly RawEntity[];
  /** Whether the list goes on after them. */
  readonly hasMore: boolean;
}

/** The rest of a list, read on demand. */
export interface EntityCursor {
  /** The next rows: as many as are asked for, or fewer at the end of the list, or where more would be too large together. */
  read(count: number): Promise<Rows>;
  close(): Promise<void>;
}

/** Reads the raw rows of a query reply by reply, and holds no more than one reply beyond those that it was asked for. */
export class RowReader implements EntityCursor {
  readonly #cursor: AbstractCursor;
  /** The rest of the last reply. */
  #received: Uint8Array[] = [];
  #taken = 0;

  constructor(cursor: AbstractCursor) {
    this.#cursor = cursor;
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

  close(): Promise<void> {
    this.#received = [];
    this.#taken = 0;
    return this.#cursor.close();
  }

  /** Asks for the next reply, now that every row of the last one is taken; false at the end of the list. */
  async #receive(): Promise<boolean> {
    this.#received = [];
    this.#taken = 0;
    if (this.#cursor.closed || !(await this.#cursor.hasNext())) return false;
    this.#received = this.#cursor.readBufferedDocuments();
    return true;
  }
}

/** The first rows of a query that asks for one row more, and no further ones. */
export async function readRows(cursor: AbstractCursor, count: number, most = PAGE_BYTES): Promise<Rows> {
  const reader = new RowReader(cursor);
  const rows = await reader.read(count, most);
  if (!cursor.closed) await reader.close();
  return rows;
}

/** The first rows of a find that asks for one row more, or fewer where these are very large, and whether there are further ones. */
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

/** Reads entities of a collection by their ids, or as many as may be read together; all of each, or what a projection names. */
export const readById =
  <S extends Document>(collection: Collection<S>, projection?: Document) =>
  async (ids: readonly string[]): Promise<Rows> => {
    const count = ids.length;
    const find = { filter: matching<S>({ _id: ids }), batchSize: count + 1, ...(projection && { projection }) };
    const reply = await firstReply(collection, find);
    return reply?.isWhole ? rowsIn(reply, count) : readRows(cursorOf(collection, find), count, BYTES_BY_ID);
  };

/**
 * What entities that are not read page by page may have together as BSON, in bytes, such as those below each job of a
 * page, or the records that the jobs of one request refer to.
 */
export const RELATED_BYTES = 64 * 1024 * 1024;

/** All rows of a find, together and as they are at one point in time; TOO_LARGE as `readAll`. */
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

/** Whether a filter meets anything. */
export async function hasRow<S extends Document>(collection: Collection<S>, filter: Filter<S>): Promise<boolean> {
  const { nodes } = await findRows(collection, { filter, projection: { _id: 1 }, limit: 1, batchSize: 2 }, 1);
  return nodes.length > 0;
}

/** All rows of a query, at once; TOO_LARGE as soon as they have too many bytes together. */
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

/** The error for related entities that have more bytes together. */
export const relatedTooLarge = (): ServiceError =>
  new ServiceError(
    'TOO_LARGE',
    `The related entities have more than the ${RELATED_BYTES} bytes together that are read at once. Ask for fewer at a time.`,
  );
