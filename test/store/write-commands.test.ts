import { Decimal128 } from 'mongodb';
import { expect, it } from 'vitest';
import { insertInOrder, writeMany } from '../../src/store/batching/write-commands.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();
const text = 'x'.repeat(4_000_000);

it('splits a write that exceeds one MongoDB command', async () => {
  const { db } = service.stores;
  const things = db.collection<{ _id: number; text: string; amount?: Decimal128 }>('things');
  const some = Array.from({ length: 6 }, (_, _id) => ({ _id, text, amount: Decimal128.fromString('1.5') }));
  await insertInOrder(things, some, {});
  await db.client.withSession((session) =>
    session.withTransaction(() =>
      writeMany(
        db,
        'things',
        {
          update: some.map(({ _id }) => ({ q: { _id }, u: { $set: { text: `${_id}${text}` } } })),
          delete: [{ q: { _id: 5 }, limit: 1 }],
        },
        session,
      ),
    ),
  );
  const starts = await things
    .aggregate([{ $sort: { _id: 1 } }, { $project: { text: { $substrCP: ['$text', 0, 1] } } }])
    .toArray();
  expect(starts.map((thing) => thing.text)).toEqual(['0', '1', '2', '3', '4']);
});

it('tells which document of a later part was refused', async () => {
  const things = service.stores.db.collection<{ _id: number; text: string }>('others');
  const some = [0, 1, 2, 3, 4, 3].map((_id) => ({ _id, text }));
  await expect(insertInOrder(things, some, {})).rejects.toMatchObject({ code: 11000, index: 5 });
  expect(await things.countDocuments()).toBe(5);
});
