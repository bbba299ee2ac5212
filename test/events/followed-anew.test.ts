import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { EventReader } from '../../src/domain/events/event-reader.ts';
import { EventLog, type NewEvent } from '../../src/store/events/event-log.ts';
import { EventTail } from '../../src/store/events/event-tail.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();

const event = (number: number): NewEvent => ({
  ...{ _id: `${number}`, kind: 'created', document: `${number}`, type: 'x', workspace: null },
  ...{ readers: ['one'], version: '1', by: null, at: new Date() },
});

it('reads for ended subscriptions are not mixed into those of later ones', async () => {
  const { db } = service.stores;
  const [log, writer] = [new EventLog(db), new EventLog(db)];
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const write = (from: number, to: number) =>
    writer.write(numbers(from, to).map(event), { after: from - 1, keptMs: 60_000 });
  await write(1, 10);
  const tail = new EventTail(log);
  const end = tail.subscribe('first');
  await expect.poll(() => tail.since(10), { timeout: 20_000 }).toEqual([]);

  const { after, latest } = log;
  const [slow, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reads = vi.spyOn(log, 'after').mockImplementationOnce(async (...place) => {
    const found = await after.apply(log, place);
    await slow.promise;
    return found;
  });
  await write(11, 12);
  await expect.poll(() => reads.mock.calls.length, { timeout: 20_000 }).toBeGreaterThan(0);
  end();
  await expect.poll(() => tail.since(10), { timeout: 20_000 }).toBeUndefined(); // it no longer follows
  await write(13, 20);
  vi.spyOn(log, 'latest').mockImplementationOnce(async () => {
    await begun.promise;
    return latest.apply(log);
  });
  const endAgain = tail.subscribe('second');
  slow.resolve();
  await setImmediate(); // the late read arrives first
  begun.resolve();
  await expect.poll(() => tail.since(20), { timeout: 20_000 }).toEqual([]);
  const reader = new EventReader(tail, { readers: 'one' }, { place: 12, declined: async () => [] });
  const read = await reader.read(100);
  endAgain();
  tail.close();
  expect(read.map(({ sequence }) => sequence)).toEqual(numbers(13, 20));
}, 120_000);
