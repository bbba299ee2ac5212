import { describe, expect, it } from 'vitest';
import { HeldBytes, HeldRows } from '../../../src/domain/request/held-rows.ts';
import type { RawEntity } from '../../../src/store/entities/read-entity.ts';

const MEBIBYTE = 1024 * 1024;
const LIMIT = 40 * MEBIBYTE;

/** A tenant's operation, which reads rows of that many bytes. */
function operationOf(all: HeldBytes, tenant: string, { mayBeRefused = true } = {}) {
  const rows = new HeldRows(tenant, all);
  const errors: string[] = [];
  rows.limitTo({ bytes: LIMIT, mayBeRefused, exceed: ({ code }) => errors.push(code) });
  const read = (mebibytes: number) => {
    const reply = new ArrayBuffer(mebibytes * MEBIBYTE);
    const row = { reply, byteLength: reply.byteLength } as RawEntity;
    return rows.read(
      async () => row,
      (found) => [found],
    );
  };
  return { rows, read, errors };
}

describe('the memory budget of operations', () => {
  it('ends a read-only operation, but none that writes or holds little', async () => {
    const all = new HeldBytes();
    const others = [operationOf(all, 'a'), operationOf(all, 'a')];
    for (const { read } of others) await read(38);
    const changing = operationOf(all, 'a', { mayBeRefused: false });
    await changing.read(20);
    const little = operationOf(all, 'a');
    await little.read(10);
    const reading = operationOf(all, 'a');
    await expect(reading.read(20)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect([changing.errors, little.errors, reading.errors]).toEqual([[], [], ['UNAVAILABLE']]);
    await operationOf(all, 'b').read(20);
  });

  it('is released with each operation, and a closed one adds nothing', async () => {
    const all = new HeldBytes();
    const some = [operationOf(all, 'a'), operationOf(all, 'a'), operationOf(all, 'a')];
    for (const { read } of some) await read(15);
    for (const { rows, read } of some) {
      const late = read(15);
      rows.close();
      await late;
    }
    expect(all.add('a', 0)).toBe(0);
  });

  it('ends a writing operation whose own rows are too many', async () => {
    const changing = operationOf(new HeldBytes(), 'a', { mayBeRefused: false });
    await expect(changing.read(41)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});
