import type { Document } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StoredTrade } from '../../../src/demo/stored-trade.ts';
import { commandsDuring } from '../../profile.ts';
import { seedTrade } from '../../seed-trade.ts';
import { serviceFixture } from '../../service.ts';

const service = serviceFixture();
let workspace: string;

beforeAll(async () => {
  const trade = await seedTrade(service.stores, { jobs: 9_000, reported: 300 });
  [{ _id: workspace }] = trade.workspaces as [StoredTrade['workspaces'][number]];
});

interface Listed {
  readonly id: string;
  readonly body: { readonly notes?: string };
}

const listed = async (query: string): Promise<Listed[]> => {
  const { status, body } = await service.ask('GET', `/workspaces/${workspace}/jobs?${query}`, { as: 'client' });
  expect(status).toBe(200);
  return body;
};

/** The reads of documents in the order of a field, with an empty plan cache. */
async function sortsDuring(work: () => Promise<unknown>): Promise<Document[]> {
  await service.stores.db.command({ planCacheClear: 'documents' });
  const commands = await commandsDuring(service, work);
  return commands.filter(({ ns, command }) => String(ns).endsWith('.documents') && command.sort !== undefined);
}

describe('a list in an order that no index has', () => {
  it.each([
    'sort=notes&limit=25',
    'sort=notes:desc&limit=25',
    'sort=status:desc&limit=25',
    'sort=notes&limit=25&offset=700',
    'sort=notes:desc&limit=1500',
    'sort=notes&limit=1500&offset=700',
  ])('is sorted by one plan, without trying others: %s', async (query) => {
    const sorts = await sortsDuring(() => listed(query));
    expect(sorts.length).toBeGreaterThan(0);
    for (const { planSummary, fromMultiPlanner } of sorts) {
      expect([planSummary, fromMultiPlanner]).toEqual([expect.stringMatching(/^IXSCAN/), undefined]);
    }
  });

  it.each(['status=cancelled', 'status=complete&coordinator=null'])(
    'is sorted by one plan if a filter has an index: %s',
    async (filter) => {
      const sorts = await sortsDuring(() => listed(`${filter}&sort=notes&limit=25`));
      expect(sorts.map(({ planSummary, fromMultiPlanner }) => [planSummary, fromMultiPlanner])).toEqual([
        [expect.stringContaining('body.status: 1'), undefined],
      ]);
    },
  );

  it.each(['notes', 'notes:desc'])('is sorted once for all its parts, before the first is sent: %s', async (order) => {
    const sorts = await sortsDuring(() => listed(`sort=${order}`));
    expect(sorts).toHaveLength(1);
  });

  it.each([
    ['notes', 1],
    ['notes:desc', -1],
  ] as const)('has each job once, with ids ascending on ties: %s', async (order, sign) => {
    const jobs = await listed(`sort=${order}`);
    const text = ({ body: { notes = '' } }: Listed): string => notes;
    const compare = (a: Listed, b: Listed): number => (text(a) < text(b) ? -sign : Number(text(a) > text(b)) * sign);
    const sorted = jobs.toSorted((a, b) => compare(a, b) || (a.id < b.id ? -1 : 1));
    expect(jobs.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
    const [first, second] = [await listed(`sort=${order}&limit=1500`), await listed(`sort=${order}&offset=1500`)];
    expect([...first, ...second]).toEqual(jobs);
  });
});

describe('a list with a filter that no index has', () => {
  it.each([
    'coordinator=null&sort=notes',
    'cargo.quantity=5&sort=notes:desc&offset=30',
    'cargo.quantity=5',
    'cargo.quantity=5&sort=created_at:asc',
    'cargo.quantity=5&sort=eta',
    'cargo.quantity=5&sort=eta:desc&offset=3',
    'cargo.quantity=5&sort=location.name',
    'cargo.quantity=5&status=complete',
    'cargo.quantity=5&offset=3',
  ])('is read by one plan, without trying others: %s', async (query) => {
    await service.stores.db.command({ planCacheClear: 'documents' });
    const commands = await commandsDuring(service, () => listed(`${query}&limit=25`));
    const reads = commands.filter(({ ns, planSummary }) => String(ns).endsWith('.documents') && planSummary);
    expect(reads.length).toBeGreaterThan(0);
    for (const { planSummary, fromMultiPlanner } of reads) {
      expect([planSummary, fromMultiPlanner]).toEqual([expect.stringMatching(/^IXSCAN/), undefined]);
    }
  });

  it('is counted by one plan', async () => {
    await service.stores.db.command({ planCacheClear: 'documents' });
    const query = `{ jobs(workspace: "${workspace}", first: 1, where: { cargo: { quantity: { gt: 0 } } }) { totalCount } }`;
    const commands = await commandsDuring(service, () => service.graphql(query));
    const counts = commands.filter(({ command }) => 'aggregate' in command);
    expect(counts.map(({ fromMultiPlanner }) => fromMultiPlanner)).toEqual([undefined]);
  });

  it('has the same jobs as all jobs that match it, in the same order', async () => {
    const filtered = (jobs: readonly Listed[]) => jobs.filter(({ body }) => body.notes === undefined);
    for (const sort of ['', '&sort=notes', '&sort=created_at:asc', '&sort=eta:desc', '&sort=location.name']) {
      const all = await listed(`status=cancelled${sort}`);
      const found = await listed(`status=cancelled&notes=null${sort}`);
      expect(found.length).toBeGreaterThan(0);
      expect(found, sort).toEqual(filtered(all));
    }
  });
});
