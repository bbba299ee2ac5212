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

  it('is tried by other plans if a filter has an index', async () => {
    const sorts = await sortsDuring(() => listed('status=cancelled&sort=notes&limit=25'));
    expect(sorts.map(({ planSummary }) => planSummary)).toEqual([expect.stringContaining('body.status: 1')]);
  });

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
