import type { Document } from 'mongodb';
import { expect, it } from 'vitest';
import { isTooLarge } from '../../../src/store/too-large.ts';
import { serviceFixture } from '../../service.ts';

const service = serviceFixture();

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

it('tells a command that fails by the size of what it writes from others', async () => {
  const rows = service.stores.db.collection<Document & { _id: string }>('large_rows');
  await rows.insertOne({ _id: 'a', text: 'x'.repeat(9_000_000) });
  const doubled = rows.updateOne({ _id: 'a' }, [{ $set: { more: '$text' } }]);
  expect(isTooLarge(await errorOf(doubled))).toBe(true);
  expect(isTooLarge(await errorOf(rows.insertOne({ _id: 'a' })))).toBe(false);
});
