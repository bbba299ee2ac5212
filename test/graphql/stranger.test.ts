import { lexicographicSortSchema, parse, validate } from 'graphql';
import { v7 as newId } from 'uuid';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import type { Stored } from '../../src/model/entity/entity.ts';
import { EntityCollection } from '../../src/store/entities/entity-collection.ts';
import { seedTrade } from '../seed-trade.ts';
import { serviceFixture } from '../service.ts';
import { drawFrom, OperationWriter, type Values } from './generated-operation.ts';

/** The same operations in every run; a higher number adds more of them. */
const CASES = Number(process.env.STRANGER_CASES ?? 500);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const idsIn = (value: unknown): readonly string[] => JSON.stringify(value).match(UUID) ?? [];
/** Anything in an answer that may be an id or a name. */
const secretsIn = (text: string): readonly string[] => [
  ...(text.match(UUID) ?? []),
  ...(text.match(/"[^"\\]*"/g) ?? []),
];

/** Fields that lead to others' entities, and those that hold ids. */
const PREFERRED = new Set([
  ...[
    'versionId',
    'createdBy',
    'name',
    'parent',
    'job',
    'document',
    'product',
    'location',
    'uom',
    'test',
    'method',
    'client',
  ],
  ...['jobs', 'documents', 'qualityResults', 'quantityResults', 'catalogRecord', 'versions', 'nodes'],
  ...['cargo', 'transports', 'deletedDocuments', 'auditLog', 'items'],
]);

/** What anyone may find: organizations, and with them the tenants that own them. */
const PUBLIC = 'organizations';

describe('a stranger', () => {
  const service = serviceFixture();
  /** The ids of everything of the two other tenants that nothing of the stranger names, and the names of their records. */
  const theirs = new Set<string>();
  let values: Values;

  beforeAll(async () => {
    const { stores } = service;
    const trade = await seedTrade(stores, { jobs: 12, reported: 12 });
    const [workspace] = trade.workspaces;
    const [first, second, third] = trade.documents.filter((job) => job.workspace === workspace?._id);
    if (!workspace || !first || !second || !third) throw new Error('the demo has too few jobs');
    // A version, a deletion and an audit line, so that past data is searched for too.
    const path = (id: string) => `/workspaces/${workspace._id}/jobs/${id}`;
    await service.ask('PATCH', path(first._id), { as: 'client', body: { xref: 'changed' } });
    await service.ask('DELETE', path(second._id), { as: 'vendor' });
    await service.ask('PUT', '/api/rest/1.0/ports/NLRTM', { as: 'client', body: { name: 'Rotterdam', country: 'NL' } });
    for (const { name } of await stores.db.listCollections({}, { nameOnly: true }).toArray()) {
      if (name === PUBLIC) continue;
      for await (const row of stores.db.collection(name).find({})) {
        const known = ['readers', 'tenant', 'body'];
        for (const id of idsIn(Object.entries(row).filter(([field]) => !known.includes(field)))) theirs.add(id);
      }
    }
    const name = { $concat: ['Theirs ', '$_id'] }; // which nobody else has
    await stores.db.collection('catalog_records').updateMany({}, [{ $set: { 'body.name': name } }]);
    for (const { _id } of trade.catalogRecords) theirs.add(`"Theirs ${_id}"`);
    for (const row of await stores.principals.keysOf(DEMO_TENANTS.observer)) theirs.delete(row._id);

    // As if writing had a hole: the stranger's jobs refer to others' records, parent and results.
    const own = <S extends Stored>(one: S): S => {
      const [_id, version_id] = [newId(), newId()];
      return { ...one, _id, version_id, readers: [DEMO_TENANTS.observer], created_by: newId(), modified_by: newId() };
    };
    const place = own(workspace);
    const jobs = [first, third].map((job) => ({ ...own(job), workspace: place._id, parent_id: third._id }));
    const results = trade.results
      .filter(({ parent_id }) => parent_id === third._id)
      .map((result) => ({ ...own(result), workspace: place._id, parent_id: jobs[1]?._id ?? '' }));
    await stores.workspaces.insert(place);
    await stores.documents.insertMany([...jobs, ...results]);
    for (const id of idsIn([place, jobs, results])) theirs.delete(id);
    for await (const row of stores.db.collection(PUBLIC).find({}))
      for (const id of secretsIn(JSON.stringify(row))) theirs.delete(id);

    const ids = (rows: readonly { readonly _id: string }[]) => rows.slice(0, 3).map(({ _id }) => _id);
    const known = [first, second, third, ...jobs].map(({ _id }) => _id);
    const places = [...ids(trade.workspaces), place._id];
    values = {
      id: [...known, ...ids(trade.results), ...places, ...ids(trade.catalogRecords)],
      job: known,
      document: known,
      workspace: places,
      record: ids(trade.catalogRecords),
      code: ['NLRTM'],
      type: ['svc.inspection.job', 'svc.inspection.qualityResult'],
      catalog: ['products', 'transports'],
      UUID: [...known, ...places, ...ids(trade.catalogRecords)],
      first: [1, 2, 3],
      DateTime: ['2024-05-01T10:00:00Z', '2026-05-20T00:00:00.000Z'],
    };
  });
  afterEach(() => vi.restoreAllMocks());

  const run = async (as: 'stranger' | 'client', cases: number) => {
    let answered = 0;
    const leaks: { readonly operation: object; readonly learnt: readonly string[] }[] = [];
    const schema = lexicographicSortSchema(service.gateway.schema);
    for (let seed = 1; seed <= cases; seed++) {
      const writer = new OperationWriter(schema, values, drawFrom(seed));
      writer.preferred = PREFERRED;
      const operation = writer.write();
      if (validate(schema, parse(operation.text)).length > 0) continue;
      const { text, body } = await service.graphql(operation.text, operation.variables, as);
      if (body?.data) answered += 1;
      const asked = new Set(idsIn(operation));
      const learnt = [...new Set(secretsIn(text))].filter((secret) => theirs.has(secret) && !asked.has(secret));
      if (learnt.length > 0) leaks.push({ operation, learnt });
    }
    return { answered, leaks };
  };

  it('learns no id and no record of others by any operation', async () => {
    const { answered, leaks } = await run('stranger', CASES);
    expect(leaks).toEqual([]);
    expect(answered).toBeGreaterThan(CASES / 4);
  }, 120_000);

  it('would be caught: a party learns ids by the same operations', async () => {
    const { leaks } = await run('client', 200);
    console.info(`${leaks.length} of 200 operations tell a party an id`);
    expect(leaks.length).toBeGreaterThan(10);
  });

  it('would be caught: it learns ids by the same operations if references are shown to anyone', async () => {
    vi.spyOn(EntityCollection.prototype, 'visible').mockImplementation(function (this: EntityCollection<Stored>, id) {
      return this.byId(id);
    });
    const { leaks } = await run('stranger', CASES);
    console.info(`${leaks.length} of ${CASES} operations tell a stranger an id`);
    expect(leaks.length).toBeGreaterThan(2);
  }, 120_000);
});
