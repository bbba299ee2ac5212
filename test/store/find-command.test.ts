import { beforeAll, describe, expect, it } from 'vitest';
import { allRows, rowsOfOneReply } from '../../src/store/batching/find-command.ts';
import { findAll, findRows } from '../../src/store/entities/row-reader.ts';
import { openCursors } from '../open-cursors.ts';
import { serviceFixture } from '../service.ts';

interface Thing {
  readonly _id: number;
  readonly text: string;
}

const service = serviceFixture();
const things = () => service.stores.db.collection<Thing>('things');
const LARGE = 'x'.repeat(7_000_000);

beforeAll(async () => {
  await things().insertMany([0, 1, 2].map((_id) => ({ _id, text: LARGE })));
  await things().insertMany([10, 11, 12].map((_id) => ({ _id, text: `${_id}` })));
});

describe('a find by a single command', () => {
  const small = { filter: { _id: { $gte: 10 } }, sort: { _id: -1 }, batchSize: 100 } as const;

  it('returns the same bytes as a driver cursor', async () => {
    const byCursor = await things().find(small.filter, { sort: small.sort, raw: true }).toArray();
    const rows = await rowsOfOneReply(things(), small);
    expect(rows?.map((row) => Buffer.from(row).toString('hex'))).toEqual(
      byCursor.map((row) => Buffer.from(row as unknown as Uint8Array).toString('hex')),
    );
    expect(rows).toHaveLength(3);
  });

  it('tells whether there are more rows than requested', async () => {
    expect(await findRows(things(), { ...small, limit: 3 }, 2)).toMatchObject({ nodes: [{}, {}], hasMore: true });
    expect(await findRows(things(), { ...small, limit: 4 }, 3)).toMatchObject({ nodes: [{}, {}, {}], hasMore: false });
    expect(await findRows(things(), { ...small, filter: { _id: 99 } }, 3)).toEqual({ nodes: [], hasMore: false });
  });

  it('returns what fits one reply, leaves larger results to a cursor, and leaves none open', async () => {
    const large = { filter: { _id: { $lt: 10 } }, batchSize: 100 };
    expect(await rowsOfOneReply(things(), large)).toBeUndefined();
    await expect.poll(() => openCursors(service, 'things')).toBe(0);
    expect(await allRows(things(), large)).toHaveLength(3);
    expect(await findAll(things(), large)).toHaveLength(3);
    const { nodes, hasMore } = await findRows(things(), { ...large, limit: 4 }, 3);
    expect(nodes.length).toBeLessThan(3);
    expect(hasMore).toBe(true);
    await expect.poll(() => openCursors(service, 'things')).toBe(0);
  });

  it('treats undefined members as absent', async () => {
    const filter = { _id: 10, text: undefined } as never;
    expect(await rowsOfOneReply(things(), { filter, batchSize: 2 })).toHaveLength(1);
  });
});
