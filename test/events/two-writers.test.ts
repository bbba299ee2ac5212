import { expect, it } from 'vitest';
import { EventReader } from '../../src/domain/events/event-reader.ts';
import { EventLog, type NewEvent } from '../../src/store/events/event-log.ts';
import { EventTail } from '../../src/store/events/event-tail.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();
const ALL = 400;

const event = (name: string): NewEvent => ({
  ...{ _id: name, kind: 'created', document: name, type: 'x', workspace: null },
  ...{ readers: ['one'], version: '1', by: null, at: new Date() },
});

it('a reader gets each event once and in order, however often writing moves between its process and another', async () => {
  const { db } = service.stores;
  const [own, other] = [new EventLog(db), new EventLog(db)];
  const tail = new EventTail(own);
  const end = tail.subscribe('reader');
  const reader = new EventReader(tail, { readers: 'one' }, { place: 0, declined: async () => [] });
  const names = Array.from({ length: ALL }, (_, index) => `event ${index}`);
  const write = async (): Promise<void> => {
    for (let at = 0, turn = 0; at < ALL; turn++) {
      const some = names.slice(at, at + 1 + (turn % 4));
      at = await (turn % 3 === 0 ? other : own).write(some.map(event), { after: at, keptMs: 60_000 });
    }
  };
  const read: string[] = [];
  const follow = async (): Promise<void> => {
    const ended = AbortSignal.timeout(60_000);
    while (reader.place < ALL && !ended.aborted) {
      const events = await reader.read(10);
      read.push(...events.map(({ document }) => document));
      if (events.length === 0) await tail.wait(reader.place, ended);
    }
  };
  await expect.poll(() => tail.since(0), { timeout: 20_000 }).toEqual([]); // it follows
  await Promise.all([write(), follow()]);
  const kept = tail.since(0)?.map(({ document }) => document);
  end();
  tail.close();
  expect(read).toEqual(names);
  expect(kept).toEqual(names); // for a reader that lags behind
}, 120_000);
