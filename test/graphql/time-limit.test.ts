import { MongoServerError } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskError } from '../../src/error-masking.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';

let patient: TestService;
let hasty: TestService;
let database: string;

beforeAll(async () => {
  database = `test_${newId().replaceAll('-', '')}`;
  patient = await startTestService({ database, env: { GRAPHQL_TIMEOUT_MS: '60000' } });
  hasty = await startTestService({ database, env: { GRAPHQL_TIMEOUT_MS: '2' } });
  const { id, client } = await makeWorkspace(patient);
  await patient.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { location: { name: 'Port' } } });
  const organizations = patient.stores.db.collection<{ _id: string }>('organizations');
  const model = await organizations.findOne({ _id: client });
  await organizations.insertMany(
    Array.from({ length: 20_000 }, (_, i) => ({ ...model, _id: newId(), name_key: `party ${i}` })),
  );
});
afterAll(async () => {
  await patient.stores.db.dropDatabase();
  await Promise.all([patient.stop(), hasty.stop()]);
});

const COUNT = '{ organizations(nameContains: "nobody has this") { totalCount } }';
const DEEP = '{ jobs { nodes { location { owner { name } } workspace { client { organization { name } } } } } }';

describe('the time of a GraphQL query', () => {
  it('is carried to MongoDB', async () => {
    const { db } = patient.stores;
    await db.command({ profile: 2 });
    await patient.graphql(`{ jobs { totalCount nodes { qualityResults { id } attachments { id } } } }`);
    await patient.ask('GET', '/workspaces?limit=1', { as: 'client' });
    await db.command({ profile: 0 });
    const entries = await db
      .collection('system.profile')
      .find({ op: { $in: ['query', 'command'] } })
      .toArray();
    const limits = entries
      .map(({ ns, command }) => [String(ns).split('.')[1], command.maxTimeMS] as const)
      .filter(([name]) => name === 'documents' || name === 'workspaces');
    expect(limits.length).toBeGreaterThanOrEqual(4);
    for (const [name, limit] of limits) {
      if (name === 'workspaces') expect(limit).toBeUndefined();
      else expect(limit > 50_000 && limit <= 60_000).toBe(true);
    }
  });

  it.each([COUNT, DEEP])('ends it with TIMED_OUT: %s', async (query) => {
    const { status, body } = await hasty.graphql(query);
    expect([status, body.errors[0].extensions]).toEqual([expect.any(Number), { code: 'TIMED_OUT' }]);
    expect(body.errors[0].message).toContain('took too long');
    expect((await patient.graphql(query)).body.errors).toBeUndefined();
  });

  it('does not cut changes off, nor REST', async () => {
    const created = await hasty.graphql(
      'mutation M($b: OrganizationBody!) { createOrganization(body: $b) { id versions { number } } }',
      { b: { name: 'Hasty' } },
    );
    expect(created.body.errors).toBeUndefined();
    expect((await hasty.ask('GET', '/v2/organizations?name=nobody', { as: 'client' })).status).toBe(200);
  });

  it('that MongoDB has stopped is told as such', () => {
    const error = new MongoServerError({ message: 'operation exceeded time limit', code: 50 });
    expect(maskError(error, 'id', { error: () => undefined }).code).toBe('TIMED_OUT');
  });
});
