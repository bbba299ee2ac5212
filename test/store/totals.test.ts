import type { Document } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { random } from '../../src/demo/random.ts';
import type { Query } from '../../src/store/entities/query.ts';
import { Totals } from '../../src/store/lists/totals.ts';
import { commandsDuring } from '../profile.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();
const { next } = random(5);
const MINUTE = 60_000;
const IN_ONE_RANGE = 50;
const order = [
  { stored: 'created_at', descending: true },
  { stored: '_id', descending: false },
];
const scope = { workspace: 'w', readers: 't', type: 'svc.inspection.job' };
const all: Query = {
  reader: 't',
  scope,
  indexed: { workspace: 'w', type: 'svc.inspection.job' },
  conditions: [],
  order,
};
const active: Query = { ...all, conditions: [{ stored: 'body.status', anyOf: ['active'] }] };
const visible: Query = { reader: 't', scope: { readers: 't', type: 'svc.inspection.job' }, conditions: [], order };

const documents = () => service.stores.db.collection<Document & { _id: string }>('documents');
let made = 0;

/** Jobs, some of the same minute, which no range can split. */
const insert = (many: number, workspace = 'w') =>
  documents().insertMany(
    Array.from({ length: many }, () => ({
      ...{ _id: `job ${made}`, version_id: `version ${made}`, ...scope, readers: ['t', `u ${made % 2}`], workspace },
      ...{ created_at: new Date(Math.floor(made++ / 7) * MINUTE), body: { status: next() < 0.6 ? 'active' : 'done' } },
    })),
  );

const counted = async (query: Query): Promise<number> =>
  (
    await documents()
      .find({ ...(query.indexed ?? query.scope), ...(query === active && { 'body.status': 'active' }) })
      .toArray()
  ).length;

beforeAll(async () => {
  await insert(300);
  await insert(40, 'another');
});

describe('totals', () => {
  it('are exact in ranges as well, after any write or deletion', async () => {
    const totals = new Totals(service.stores.db.collection('documents'), IN_ONE_RANGE);
    for (let round = 0; round < 40; round++) {
      for (const query of [all, active, visible]) expect(await totals.count(query, {})).toBe(await counted(query));
      if (next() < 0.6) await insert(1 + Math.floor(next() * 60));
      else
        await documents().deleteMany({ workspace: 'w', created_at: { $gt: new Date(((next() * made) / 7) * MINUTE) } });
    }
  });

  it('of many rows are counted in parallel ranges, each by index keys alone', async () => {
    await insert(400);
    for (const [query, index] of [
      [all, 'workspace: 1, type: 1, created_at: -1, _id: 1'],
      [active, 'workspace: 1, type: 1, body.status: 1, created_at: -1, _id: 1, body.activity: 1'],
      [visible, 'readers: 1, type: 1, created_at: -1, _id: 1'],
    ] as const) {
      const totals = new Totals(service.stores.db.collection('documents'), IN_ONE_RANGE);
      for (let i = 0; i < 2; i++) await totals.count(query, {});
      const commands = await commandsDuring(service, () => totals.count(query, {}));
      const counts = commands.filter(({ command }) => 'count' in command);
      expect(counts.map(({ planSummary }) => planSummary)).toEqual(
        Array(counts.length).fill(`COUNT_SCAN { ${index} }`),
      );
      expect(counts.length).toBeGreaterThan(1);
      expect(counts.every(({ docsExamined }) => docsExamined === 0)).toBe(true);
      const keys = counts.map(({ keysExamined }) => keysExamined);
      expect(Math.max(...keys)).toBeLessThan((keys.reduce((sum, one) => sum + one, 0) * 3) / 4);
    }
  });

  it('requested together are one count, each within its own time limit', async () => {
    const totals = new Totals(service.stores.db.collection('documents'));
    const commands = await commandsDuring(service, () =>
      Promise.all([20_000, 30_000, 30_000].map((maxTimeMS) => totals.count(all, { maxTimeMS }))),
    );
    const times = commands.flatMap(({ command }) => ('count' in command ? [command.maxTimeMS] : []));
    expect(times.sort()).toEqual([20_000, 30_000]);
  });
});
