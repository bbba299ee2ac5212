import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import type { NewEvent } from '../../../src/store/events/event-log.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { EventClient } from '../event-client.ts';
import { FeedClient } from '../feed-client.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const RARE = 'svc.inspection.timelog';
/** More than twice as many as one read looks through. */
const EVENTS = 25_000;
const RARE_AT = [12_000, 24_000];
const MOST_LOOKED_THROUGH = 10_000;
const START = Date.UTC(2026, 0, 1);
/** The time of an event; gateways differ in their clocks, so times do not quite ascend. */
const timeOf = (sequence: number): Date => new Date(START + (sequence + (sequence % 2) * 100) * 1_000);

const eventAt = (sequence: number): NewEvent => ({
  ...{ _id: `${sequence} 1`, kind: 'created', document: newId(), workspace: workspace.id, version: newId(), by: null },
  type: RARE_AT.includes(sequence) ? RARE : 'svc.inspection.job',
  ...{ readers: [DEMO_TENANTS.client], at: timeOf(sequence) },
});

beforeAll(async () => {
  const events = Array.from({ length: EVENTS }, (_, index) => eventAt(index + 1));
  for (let after = 0; after < EVENTS; after += 5_000)
    await service.stores.events.write(events.slice(after, after + 5_000), { after, keptMs: 3_600_000 });
});

/** The result of some work, and the most events and keys that MongoDB looked at for one of its commands. */
async function examined<T>(work: () => Promise<T>): Promise<{ result: T; most: number; all: number }> {
  const results: T[] = [];
  const commands = await commandsDuring(service, async () => void results.push(await work()));
  const counts = commands
    .filter(({ ns }) => String(ns).endsWith('.events'))
    .map(({ keysExamined = 0, docsExamined = 0 }) => Math.max(keysExamined, docsExamined));
  const [result] = results as [T];
  return { result, most: Math.max(...counts), all: counts.reduce((sum, count) => sum + count) };
}

/** First, before any stream reads the same log: a stream may read on for a moment after its client has left. */
describe('the place of a time', () => {
  it('is that of the first event since then, although times do not quite ascend', async () => {
    const first = (time: Date) => {
      const at = Array.from({ length: EVENTS }, (_, index) => index + 1).find((one) => timeOf(one) >= time);
      return (at ?? EVENTS + 1) - 1;
    };
    const times = [0, 1, 2, 99, 100, 101, 5_000, 12_345, 24_999, 25_000, 25_099, 25_100, 90_000].map(
      (seconds) => new Date(START + seconds * 1_000),
    );
    const places = await Promise.all(times.map((time) => service.stores.events.since(time)));
    expect(places).toEqual(times.map(first));
  });

  it('is found without reading the log from its beginning', async () => {
    const { result, all } = await examined(() => service.stores.events.since(timeOf(24_000)));
    expect(result).toBe(23_900);
    expect(all).toBeLessThan(1_500);
  });
});

describe('changes of a rare type', () => {
  it.each([
    ['all workspaces', () => '/v2/changes'],
    ['a workspace', () => `/v2/workspaces/${workspace.id}/changes`],
  ])('of %s are all on the page, by reads that look through a part of the log each', async (_, path) => {
    const ask = () => service.ask('GET', `${path()}?types=${RARE}`, { as: 'client' });
    const { result, most } = await examined(ask);
    expect(result.body.changes.map(({ id }: { id: string }) => id)).toEqual(RARE_AT.map(String));
    expect(result.body.next).toBe(String(EVENTS));
    expect(most).toBeLessThanOrEqual(MOST_LOOKED_THROUGH);
  });

  it('are found by streams of both kinds in the same way', async () => {
    const open = async () => {
      const feed = await FeedClient.open(service.url, { path: `/v2/changes?types=${RARE}` });
      const events = await EventClient.open(service, { variables: { types: [RARE], after: '0' } });
      const found = [await feed.events(2), await events.events(2)];
      for (const client of [feed, events]) client.close();
      return found.map((some) => some.map((one) => one.id));
    };
    const { result, most } = await examined(open);
    expect(result).toEqual([RARE_AT.map(String), RARE_AT.map(String)]);
    expect(most).toBeLessThanOrEqual(MOST_LOOKED_THROUGH);
  });
});

it('streams of both kinds that are far behind read 500 events with one command', async () => {
  const numbers = Array.from({ length: 2_000 }, (_, index) => index + 1);
  const open = async () => {
    const feed = await FeedClient.open(service.url, { path: '/v2/changes?after=0' });
    const events = await EventClient.open(service, { query: 'subscription { documentChanged(after: "0") { id } }' });
    for (const client of [feed, events]) {
      const found = await client.events(2_000);
      client.close();
      expect(found.slice(0, 2_000).map(({ id }) => Number(id))).toEqual(numbers);
    }
  };
  const commands = await commandsDuring(service, open);
  const sizes = commands.filter(({ ns }) => String(ns).endsWith('.events')).map(({ nreturned = 0 }) => nreturned);
  expect(Math.max(...sizes)).toBe(500);
  expect(sizes.filter((size) => size > 1 && size < 500)).toEqual([]);
}, 60_000);
