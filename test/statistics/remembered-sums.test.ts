import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../src/demo/principals.ts';
import { random } from '../../src/demo/random.ts';
import { indexOf } from '../../src/store/indexes/indexes.ts';
import { CHANGED_MONTHS } from '../../src/store/statistics/changed-months.ts';
import { lossFacet, ROLLED_UP } from '../../src/store/statistics/job-cells.ts';
import { type JobScope, KeptStatistics } from '../../src/store/statistics/kept-statistics.ts';
import { REMEMBERED_MS } from '../../src/store/statistics/settled-sums.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { RandomReports } from './random-reports.ts';

let reports: RandomReports;
const service = serviceFixture({ sources: { now: () => reports?.now ?? new Date() } });
const { next } = random(11);
const readers = DEMO_KEYS.find(({ key }) => key === 'demo-client-key')?.tenant ?? 'nobody';
const workspaces: string[] = [];
const keep = () => startProjectingStatistics(service.stores.db, { info: () => undefined, warn: () => undefined });
const FACETS = [...ROLLED_UP, lossFacet('Density')];
let stop: () => Promise<void>;

beforeAll(async () => {
  for (let i = 0; i < 2; i++) workspaces.push((await makeWorkspace(service)).id);
  reports = new RandomReports(service, workspaces, 13);
  stop = keep();
  for (let i = 0; i < 60; i++) await reports.step();
  await service.stores.statistics.freshness.passed();
});
afterAll(() => stop());

const facts = () => service.stores.db.collection('job_facts');
/** As if an hour had passed since the last change. */
const settle = () => service.stores.db.collection(CHANGED_MONTHS).deleteMany({});

/** Scopes of each kind. */
async function scopes(): Promise<JobScope[]> {
  const [workspace = ''] = workspaces;
  const of: string[] = await facts().distinct('of', { workspace });
  const named = (role: 'product' | 'vessel' | 'location') => ({
    ...{ role, ids: of.flatMap((one) => (one.startsWith(`${role} `) ? one.slice(role.length + 1) : [])).slice(0, 1) },
  });
  const periods = [
    ['2025-01-01', '2027-01-01'],
    ['2025-04-17T13:14:15.161Z', '2026-02-03T04:05:06.007Z'],
  ].map(([from = '', to = '']) => ({ from: new Date(from), to: new Date(to) }));
  const places = [
    { readers, naming: [] },
    { workspace, readers, naming: [] },
    ...[[named('product')], [named('vessel')], [named('product'), named('location')]].map((naming) => ({
      ...{ workspace, readers, naming },
    })),
  ];
  return periods.flatMap((period) => places.map((place) => ({ ...place, ...period, time: {} })));
}

/** All figures of a scope, in a fixed order. */
async function figuresOf(statistics: KeptStatistics, scope: JobScope): Promise<unknown> {
  const found = await statistics.cover(scope);
  const sums = await Promise.all(FACETS.map((facet) => statistics.sums(found, facet)));
  const delays = await statistics.delays(found);
  const texts = sums.map((cells) => cells.map((cell) => JSON.stringify(cell)).sort());
  return { texts, delays };
}

async function expectAllRight(statistics: KeptStatistics): Promise<void> {
  await statistics.freshness.passed();
  for (const scope of await scopes()) {
    const nothingRemembered = new KeptStatistics(service.stores.db);
    expect(await figuresOf(statistics, scope)).toEqual(await figuresOf(nothingRemembered, scope));
  }
}

/** The sums of facts or rollups. */
async function sumsDuring(work: () => Promise<unknown>) {
  const commands = await commandsDuring(service, work);
  return commands.filter(({ ns, command }) => 'aggregate' in command && !String(ns).endsWith('.leases'));
}

const readsOf = async (work: () => Promise<unknown>): Promise<number> => (await sumsDuring(work)).length;

/** The periods over which facts were summed. */
async function periodsRead(work: () => Promise<unknown>): Promise<{ readonly $gte: Date; readonly $lt: Date }[]> {
  const sums = await sumsDuring(work);
  return sums.flatMap(({ command }) => command.pipeline[0].$match.$or.map(({ created_at }: Document) => created_at));
}

const WHOLE = { from: new Date('2025-01-01'), to: new Date('2027-01-01'), time: {}, naming: [] };

describe('cached sums', () => {
  it('match fresh sums, after random writes, changes and deletions', async () => {
    for (let round = 0; round < 3; round++) {
      await settle();
      const statistics = new KeptStatistics(service.stores.db);
      await expectAllRight(statistics);
      for (let change = 0; change < 3; change++) {
        for (let i = 0; i < 1 + next() * 4; i++) await reports.step();
        await expectAllRight(statistics);
      }
    }
  });

  it('are not read again, except in months that change', async () => {
    await settle();
    const [workspace = ''] = workspaces;
    const statistics = new KeptStatistics(service.stores.db);
    const asked = () => figuresOf(statistics, { ...WHOLE, workspace, readers });
    const first = await asked();
    expect(await readsOf(async () => expect(await asked()).toEqual(first))).toBe(0);
    reports.now = new Date('2025-07-15T12:00:00Z');
    const made = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} });
    expect(made.status).toBe(201);
    await statistics.freshness.passed();
    expect(await readsOf(async () => expect(await asked()).not.toEqual(first))).toBeGreaterThan(0);
    const told = await service.stores.db.collection(CHANGED_MONTHS).find().toArray();
    expect(told).toMatchObject([{ workspace, month: new Date('2025-07-01'), at: expect.any(Date) }]);
  });

  it('cover the whole days of periods with other hours, and everything for the same hours', async () => {
    await settle();
    const [workspace = ''] = workspaces;
    const [vessel] = (await scopes()).filter(({ naming }) => naming[0]?.role === 'vessel');
    const statistics = new KeptStatistics(service.stores.db);
    const from = (hour: number) => new Date(Date.UTC(2025, 3, 17, hour));
    const to = (hour: number) => new Date(Date.UTC(2026, 1, 3, hour));
    const asked = (hour: number) =>
      figuresOf(statistics, { ...WHOLE, naming: [], ...vessel, workspace, readers, from: from(hour), to: to(hour) });
    await asked(12);
    expect(await periodsRead(() => asked(12))).toEqual([]);
    const read = await periodsRead(() => asked(13));
    const texts = read.map(({ $gte, $lt }) => `${$gte.toISOString()} ${$lt.toISOString()}`);
    expect([...new Set(texts)].sort()).toEqual([
      '2025-04-17T13:00:00.000Z 2025-04-18T00:00:00.000Z',
      '2026-02-03T00:00:00.000Z 2026-02-03T13:00:00.000Z',
    ]);
  });

  it('are not used while an earlier version keeps statistics, nor afterwards', async () => {
    await settle();
    const statistics = new KeptStatistics(service.stores.db);
    const asked = () => figuresOf(statistics, { ...WHOLE, readers });
    await asked();
    const leases = service.stores.db.collection<{ _id: string }>('leases');
    await stop();
    await leases.updateOne({ _id: 'statistics' }, { $set: { holder: 'an earlier version' } });
    expect(await readsOf(asked)).toBeGreaterThan(0);
    const expectRight = async () =>
      expect(await asked()).toEqual(await figuresOf(new KeptStatistics(service.stores.db), { ...WHOLE, readers }));
    const { deletedCount } = await service.stores.db.collection('statistics_rollups').deleteMany({ facet: 'state' });
    expect(deletedCount).toBeGreaterThan(0);
    await expectRight();
    stop = keep();
    await statistics.freshness.passed();
    await expectRight();
  });

  it('do not exist when reading from members other than the primary', async () => {
    await settle();
    const statistics = new KeptStatistics(service.stores.db, 'secondaryPreferred');
    const asked = () => figuresOf(statistics, { ...WHOLE, readers });
    await asked();
    expect(await readsOf(asked)).toBeGreaterThan(0);
  });

  it('expire long before the record of a change of their months does', async () => {
    expect(indexOf(CHANGED_MONTHS, {}, { at: 1 })).toBe('expiry');
    const indexes = await service.stores.db.collection(CHANGED_MONTHS).indexes();
    const seconds = indexes.find(({ name }) => name === 'expiry')?.expireAfterSeconds ?? 0;
    expect(REMEMBERED_MS * 3).toBeLessThan(seconds * 1_000);
  });
});
