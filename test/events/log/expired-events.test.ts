import { v7 as newId } from 'uuid';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import { EventReader } from '../../../src/domain/events/event-reader.ts';
import { EVENTS_LEASE, EventLog, type NewEvent } from '../../../src/store/events/event-log.ts';
import { EventTail } from '../../../src/store/events/event-tail.ts';
import { serviceFixture } from '../../service.ts';
import { EventClient } from '../event-client.ts';

const service = serviceFixture();
const EVENTS = 20_000;

const eventAt = (sequence: number): NewEvent => ({
  ...{ _id: `${sequence} 1`, kind: 'created', document: newId(), workspace: null, version: null, by: null },
  ...{ type: 'svc.inspection.job', readers: [DEMO_TENANTS.client], at: new Date() },
});
const write = (from: number, to: number) => {
  const events = Array.from({ length: to - from + 1 }, (_, index) => eventAt(from + index));
  return service.stores.events.write(events, { after: from - 1, keptMs: 3_600_000 });
};
/** What MongoDB does with events that have expired, however long that takes. */
const expire = (to: number) => {
  const events = service.stores.db.collection<{ sequence: number }>('events');
  return events.deleteMany({ sequence: { $lte: to } }, { maxTimeMS: 60_000 });
};

const readerOf = (tail: EventTail, place: number) =>
  new EventReader(tail, { readers: DEMO_TENANTS.client }, { place, declined: async () => [] });

beforeEach(() => expire(Number.MAX_SAFE_INTEGER));

describe('events that expired before a stream got to them', () => {
  it('end a subscription with HISTORY_LOST, which says where to go on', async () => {
    await write(1, EVENTS);
    const client = await EventClient.open(service, { variables: { after: '0' } });
    await client.events(10);
    await expire(EVENTS - 10);
    await client.until(() => client.ended);
    const told = client.messages.flatMap(({ data }) => data?.data?.documentChanged ?? []).map(({ id }) => Number(id));
    expect(told).toEqual(told.map((_, index) => index + 1));
    expect(told.length).toBeLessThan(EVENTS - 10);
    const [error, end] = client.messages.slice(told.length);
    expect(error?.data.errors).toMatchObject([
      { message: expect.stringContaining(`after=${EVENTS}`), extensions: { code: 'HISTORY_LOST' } },
    ]);
    expect(end).toMatchObject({ event: 'complete' });
    expect(client.messages).toHaveLength(told.length + 2);
  });

  it('are missed by no reader of the log, whichever part of them expires while it reads', async () => {
    await write(1, 30);
    const tail = service.stores.eventTail;
    const reader = readerOf(tail, 0);
    expect(await reader.readLog(10)).toHaveLength(10);
    await expire(10);
    expect(await reader.readLog(10)).toHaveLength(10);
    await expire(21);
    await expect(reader.readLog(10)).rejects.toMatchObject({ code: 'HISTORY_LOST' });
    expect(reader.place).toBe(20);
    await expire(30);
    const leases = service.stores.db.collection<{ _id: string; last: number }>('leases');
    await leases.insertOne({ _id: EVENTS_LEASE, last: 30 }); // the projector has saved it
    await expect(reader.readLog(10)).rejects.toMatchObject({ code: 'HISTORY_LOST' });
    expect(await readerOf(tail, 30).readLog(10)).toEqual([]);
    await leases.deleteMany();
  });

  it('are not taken for read if this process did not get to them either', async () => {
    const log = new EventLog(service.stores.db);
    const tail = new EventTail(log);
    const end = tail.subscribe('one');
    await expect.poll(() => tail.since(0), { timeout: 20_000 }).toEqual([]); // it has begun
    await write(1, 10);
    await expect.poll(() => tail.since(9)?.length, { timeout: 20_000 }).toBe(1);
    const { after } = log;
    const reads = vi.spyOn(log, 'after').mockImplementationOnce(async (...place) => {
      await expire(15); // as if the process had stood still meanwhile
      return after.apply(log, place);
    });
    await write(11, 20);
    await expect.poll(() => tail.since(19)?.length, { timeout: 20_000 }).toBe(1);
    expect(reads).toHaveBeenCalled();
    await expect(readerOf(tail, 10).read(100)).rejects.toMatchObject({ code: 'HISTORY_LOST' });
    expect(await readerOf(tail, 15).read(100)).toHaveLength(5);
    end();
    tail.close();
  });
});

it('a page from the oldest event on begins later if that expires meanwhile', async () => {
  await write(1, 30);
  const log = service.stores.events;
  const { beginning } = log;
  vi.spyOn(log, 'beginning').mockImplementationOnce(async () => {
    const place = await beginning.apply(log);
    await expire(5);
    return place;
  });
  const { status, body } = await service.ask('GET', '/v2/changes?limit=3', { as: 'client' });
  expect([status, body.changes.map(({ id }: { id: string }) => id)]).toEqual([200, ['6', '7', '8']]);
});
