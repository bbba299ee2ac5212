import fc from 'fast-check';
import { lexicographicSortSchema, parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { seedTrade } from '../../src/demo/seed.ts';
import { serviceFixture } from '../service.ts';
import { type Draw, OperationWriter, type Values } from './generated-operation.ts';

const CASES = Number(process.env.STRANGER_CASES ?? 600);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What everybody may find: organizations, and with them the tenants that own them. */
const PUBLIC = 'organizations';

describe('a stranger', () => {
  const service = serviceFixture();
  /** The ids of all that belongs to the two other tenants. */
  const theirs = new Set<string>();
  let values: Values;

  beforeAll(async () => {
    const trade = await seedTrade(service.stores, { jobs: 12, reported: 12 });
    const [workspace] = trade.workspaces;
    const [first, second, third] = trade.documents.filter((job) => job.workspace === workspace?._id);
    // A version, a deletion and a line of the audit log, so that what was is looked for as well as what is.
    const path = (id = '') => `/workspaces/${workspace?._id}/jobs/${id}`;
    await service.ask('PATCH', path(first?._id), { as: 'client', body: { xref: 'changed' } });
    await service.ask('DELETE', path(second?._id), { as: 'vendor' });
    await service.ask('PUT', '/api/rest/1.0/ports/NLRTM', { as: 'client', body: { name: 'Rotterdam', country: 'NL' } });
    for (const { name } of await service.stores.db.listCollections({}, { nameOnly: true }).toArray()) {
      if (name === PUBLIC) continue;
      for await (const row of service.stores.db.collection(name).find({})) {
        const own = Object.entries(row).filter(
          ([field]) => field !== 'readers' && field !== 'tenant' && field !== 'body',
        );
        for (const id of JSON.stringify(own).match(UUID) ?? []) theirs.add(id);
      }
    }
    for await (const row of service.stores.db.collection<{ _id: string }>(PUBLIC).find({})) {
      for (const id of JSON.stringify(row).match(UUID) ?? []) theirs.delete(id);
    }
    for (const row of await service.stores.principals.keysOf('0190a000-0000-7000-8000-0000000000b1'))
      theirs.delete(row._id);
    const ids = (rows: readonly { readonly _id: string }[]) => rows.slice(0, 3).map(({ _id }) => _id);
    const jobs = [first, second, third].flatMap((job) => job?._id ?? []);
    values = {
      id: [...jobs, ...ids(trade.results), ...ids(trade.workspaces), ...ids(trade.catalogRecords)],
      job: jobs,
      document: jobs,
      workspace: ids(trade.workspaces),
      record: ids(trade.catalogRecords),
      code: ['NLRTM'],
      type: ['svc.inspection.job', 'svc.inspection.qualityResult'],
      catalog: ['products', 'transports'],
      UUID: [...jobs, ...ids(trade.workspaces), ...ids(trade.catalogRecords)],
      first: [1, 2, 3],
      DateTime: ['2024-05-01T10:00:00Z', '2026-05-20T00:00:00.000Z'],
    };
  });

  /** Ids that an answer has and the operation has not: those that were learnt from it. */
  const learnt = (operation: object, text: string): string[] => {
    const known = new Set(JSON.stringify(operation).match(UUID) ?? []);
    return [...new Set(text.match(UUID) ?? [])].filter((id) => theirs.has(id) && !known.has(id));
  };

  const run = async (as: 'stranger' | 'client'): Promise<{ answered: number; leaks: object[] }> => {
    let answered = 0;
    const leaks: object[] = [];
    const schema = lexicographicSortSchema(service.gateway.schema);
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.infiniteStream(fc.nat())), async (numbers) => {
        const draw: Draw = (count) => (numbers.next().value ?? 0) % count;
        const operation = new OperationWriter(schema, values, draw).write();
        if (validate(schema, parse(operation.text)).length > 0) return;
        const { text, body } = await service.graphql(operation.text, operation.variables, as);
        if (body?.data) answered += 1;
        const ids = learnt(operation, text);
        if (ids.length > 0) leaks.push({ operation, ids });
        if (as === 'stranger') expect(ids, JSON.stringify(operation)).toEqual([]);
      }),
      { numRuns: CASES },
    );
    return { answered, leaks };
  };

  it('learns no id of others by any operation, whatever it asks', async () => {
    const { answered } = await run('stranger');
    expect(answered).toBeGreaterThan(CASES / 5);
  }, 120_000);

  it('would be seen to: a party learns ids by the same operations', async () => {
    const { leaks } = await run('client');
    expect(leaks.length).toBeGreaterThan(0);
  }, 60_000);
});
