import { type Collection, MongoServerError } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskError } from '../../src/error-masking.ts';
import { makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../service.ts';

let patient: TestService;
let hasty: TestService;
let database: string;
let workspace: TestWorkspace;

beforeAll(async () => {
  database = `test_${newId().replaceAll('-', '')}`;
  patient = await startTestService({ database, env: { GRAPHQL_TIMEOUT_MS: '60000' } });
  hasty = await startTestService({ database, env: { GRAPHQL_TIMEOUT_MS: '2' } });
  workspace = await makeWorkspace(patient);
  const { id, client } = workspace;
  await patient.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { location: { name: 'Port' } } });
  const organizations = patient.stores.db.collection<{ _id: string }>('organizations');
  const model = await organizations.findOne({ _id: client });
  await copies(organizations, model, {
    count: 20_000,
    change: (i) => ({ name_key: `party ${i}`, visible_key: `party ${i}` }),
  });
  const documents = patient.stores.db.collection<{ _id: string }>('documents');
  const job = await documents.findOne({ workspace: id } as never);
  await copies(documents, job, { count: 10_000, change: () => ({}) });
});

/** Copies of one stored entity, in batches a loaded machine can write in time. */
async function copies(
  collection: Collection<{ _id: string }>,
  model: object | null,
  { count, change }: { readonly count: number; readonly change: (i: number) => object },
): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const made = Array.from({ length: 1_000 }, (_, i) => ({ ...model, _id: newId(), ...change(from + i) }));
    await collection.insertMany(made);
  }
}

afterAll(async () => {
  await patient.stores.db.dropDatabase();
  await Promise.all([patient.stop(), hasty.stop()]);
});

const COUNT = '{ organizations(nameContains: "§") { totalCount } }';
const DEEP = '{ jobs { nodes { location { owner { name } } workspace { client { organization { name } } } } } }';

describe('the time limit of a GraphQL query', () => {
  it('is passed to MongoDB', async () => {
    const { db } = patient.stores;
    await db.command({ profile: 2 });
    await patient.graphql(`{ jobs { totalCount nodes { qualityResults { id } attachments { id } } } }`);
    await patient.ask('GET', '/workspaces?limit=1', { as: 'client' });
    await db.command({ profile: 0 });
    // A REST list: each read has the whole limit.
    const entries = await db
      .collection('system.profile')
      .find({ op: { $in: ['query', 'command'] } })
      .toArray();
    const limits = entries
      .map(({ ns, command }) => [String(ns).split('.')[1], command.maxTimeMS] as const)
      .filter(([name]) => name === 'documents' || name === 'workspaces');
    expect(limits.length).toBeGreaterThanOrEqual(4);
    for (const [name, limit] of limits) {
      if (name === 'workspaces')
        expect([60_000, undefined]).toContain(limit); // the REST list, and reads by id
      else expect(limit > 50_000 && limit <= 60_000).toBe(true);
    }
  });

  it.each([COUNT, DEEP])('ends it with TIMED_OUT: %s', async (query) => {
    const { status, body } = await hasty.graphql(query);
    expect([status, body.errors[0].extensions]).toEqual([expect.any(Number), { code: 'TIMED_OUT' }]);
    expect(body.errors[0].message).toContain('took too long');
    expect((await patient.graphql(query)).body.errors).toBeUndefined();
  });

  it('ends a REST list read with 504, saying what to do', async () => {
    const one = await hasty.ask('GET', '/v2/organizations?name=%C2%A7', { as: 'client' });
    expect([one.status, one.body.code]).toEqual([504, 'TIMED_OUT']);
    expect(one.body.detail).toContain('Add a filter');
    const { id } = workspace;
    const jobs = `/v2/workspaces/${id}/documents?type=svc.inspection.job`;
    const all = await hasty.ask('GET', `${jobs}&sort=cargo.quantity&filter[notes]=none`, { as: 'client' });
    expect([all.status, all.body.code]).toEqual([504, 'TIMED_OUT']);
    expect(all.body.detail).toMatch(/Add a filter by one of: status, activity, refNumber/);
    expect((await patient.ask('GET', '/v2/organizations?name=%C2%A7', { as: 'client' })).body).toEqual([]);
  });

  it('does not cut off changes, nor REST reads by id', async () => {
    const created = await hasty.graphql(
      'mutation M($b: OrganizationBody!) { createOrganization(body: $b) { id versions { number } } }',
      { b: { name: 'Hasty' } },
    );
    expect(created.body.errors).toBeUndefined();
    const path = `/v2/organizations/${created.body.data.createOrganization.id}`;
    expect((await hasty.ask('GET', path, { as: 'client' })).status).toBe(200);
  });

  it('enforced by MongoDB is reported as such', () => {
    const error = new MongoServerError({ message: 'operation exceeded time limit', code: 50 });
    expect(maskError(error, 'id', { error: () => undefined }).code).toBe('TIMED_OUT');
  });
});
