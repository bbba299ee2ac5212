import { beforeAll, describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../src/demo/principals.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { allCounted } from './all-counted.ts';
import { computedFigures, FIGURES, sorted } from './computed-figures.ts';
import { RandomReports } from './random-reports.ts';

let reports: RandomReports;
const service = serviceFixture({ sources: { now: () => reports?.now ?? new Date() } });
const workspaces: string[] = [];
const tenantOf = (as: 'client' | 'vendor') => DEMO_KEYS.find(({ key }) => key === `demo-${as}-key`)?.tenant ?? 'nobody';
const log = { info: () => undefined, warn: () => undefined };
const leases = () => service.stores.db.collection<{ _id: string; until: Date }>('leases');

beforeAll(async () => {
  for (let i = 0; i < 3; i++) workspaces.push((await makeWorkspace(service)).id);
  reports = new RandomReports(service, workspaces, 7);
});

interface Asked {
  readonly from: Date;
  readonly to: Date;
  readonly workspace?: string;
  readonly naming?: Readonly<Record<string, string>>;
  readonly filter?: string;
}

/** What the service reports for a scope, and what its documents add up to. */
async function both({ from, to, workspace, naming, filter = '' }: Asked) {
  const selected = `statistics(from: "${from.toISOString()}", to: "${to.toISOString()}" ${filter}) { asOf ${FIGURES} }`;
  await allCounted(service);
  const query = workspace ? `{ workspace(id: "${workspace}") { ${selected} } }` : `{ viewer { ${selected} } }`;
  const { body } = await service.graphql(query);
  expect(body.errors).toBeUndefined();
  const { asOf: _, ...kept } = (body.data.workspace ?? body.data.viewer).statistics;
  const { jobs, offSpecification, losses } = kept;
  const { byProduct, byVendor } = offSpecification;
  const told = {
    ...kept,
    jobs: sorted(jobs),
    offSpecification: { ...offSpecification, byProduct: sorted(byProduct), byVendor: sorted(byVendor) },
    losses: { routes: sorted(losses.routes), leftOut: sorted(losses.leftOut) },
  };
  const scope = { readers: tenantOf('client'), from, to, ...(workspace && { workspace }), ...(naming && { naming }) };
  return { told, computed: await computedFigures(service.stores.db, scope) };
}

const PERIODS = [
  ['2025-01-01', '2027-01-01'],
  ['2025-06-17T13:14:15.161Z', '2026-02-03T04:05:06.007Z'],
  ['2025-09-01', '2025-09-30T12:00:00Z'],
  ['2025-11-05T10:00:00Z', '2025-11-05T11:00:00Z'],
].map(([from = '', to = '']) => ({ from: new Date(from), to: new Date(to) }));

async function expectAllRight(): Promise<void> {
  for (const period of PERIODS) {
    for (const workspace of [undefined, workspaces[0]]) {
      const { told, computed } = await both({ ...period, ...(workspace && { workspace }) });
      expect(told).toEqual(computed);
    }
  }
}

describe('kept statistics', () => {
  it('match the documents, after random writes, changes and deletions', async () => {
    const stop = startProjectingStatistics(service.stores.db, log);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 50; i++) await reports.step();
      await expectAllRight();
    }
    await stop();
  });

  it('catch up after their projector was away, with nobody watching meanwhile', async () => {
    for (let i = 0; i < 30; i++) await reports.step();
    const stop = startProjectingStatistics(service.stores.db, log);
    await expectAllRight();
    await stop();
  });

  it('count nothing twice when a projector dies before saving its position', async () => {
    const before = await leases().findOne({ _id: 'statistics' });
    const stop = startProjectingStatistics(service.stores.db, log);
    for (let i = 0; i < 20; i++) await reports.step();
    await expectAllRight();
    await stop();
    const { _id, ...place } = before ?? { _id: '' };
    await leases().updateOne({ _id: 'statistics' }, { $set: place });
    const again = startProjectingStatistics(service.stores.db, log);
    await reports.step();
    await expectAllRight();
    await again();
  });

  it.each(['product', 'vendor', 'location', 'vessel'])('are right by %s', async (role) => {
    const stop = startProjectingStatistics(service.stores.db, log);
    const path = { product: 'body.cargo.product', vendor: 'body.vendor', location: 'body.location' }[role];
    const [workspace = ''] = workspaces;
    const jobs = service.stores.db.collection('documents');
    const ids = await jobs.distinct(path ?? 'body.transports', { workspace });
    expect(ids.length).toBeGreaterThan(1);
    for (const period of PERIODS.slice(0, 2)) {
      const [id] = ids;
      const naming = { [path ?? 'body.transports']: id };
      const asked = { ...period, naming, filter: `, ${role}: "${id}"` };
      const { told, computed } = await both({ ...asked, workspace });
      expect(told).toEqual(computed);
      expect((await both(asked)).told).toEqual(computed);
    }
    await stop();
  });
});
