// May take 30 s: each kind of creation is tried under ten faults, and the driver backs off between its retries.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shapeA } from '../rest-compat/data-api/bodies.ts';
import { type FaultFixture, mark, startFaultFixture } from './fault-fixture.ts';
import { tryUnderFaults, type WriteKind, writeTable } from './trials.ts';

let fixture: FaultFixture;
const table = new Map<string, Awaited<ReturnType<typeof tryUnderFaults>>>();

beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(async () => {
  writeTable('creations', table);
  await fixture.stop();
});

const COMMIT = { commands: ['commitTransaction'] };
const insertInto = (collection: string) => ({ commands: ['insert'], collection });

const job = (more: (refNumber: string) => object = () => ({})) => {
  const refNumber = mark();
  const path = `/workspaces/${fixture.workspace.id}/jobs`;
  const request = { method: 'POST', path, body: { refNumber, ...more(refNumber) } };
  return fixture.keyed(request, () => fixture.count('documents', { 'body.refNumber': refNumber }));
};

const jobWithRecords = () => job((name) => ({ location: { name }, transports: [{ name, xref: name }] }));

const bulk = () => {
  const [refNumber, name] = [mark(), mark()];
  const body = {
    type: 'svc.inspection.job',
    body: Array.from({ length: 5 }, () => ({ refNumber, status: 'pending', activity: 'load', location: { name } })),
  };
  const path = `/v2/workspaces/${fixture.workspace.id}/documents/bulk`;
  // All or nothing: 5 documents and their record count as one.
  return fixture.keyed({ method: 'POST', path, body }, async () => {
    const documents = await fixture.count('documents', { 'body.refNumber': refNumber });
    const records = await fixture.count('catalog_records', { 'body.name': name });
    return documents === 0 && records === 0 ? 0 : documents === 5 && records === 1 ? 1 : -documents;
  });
};

const organization = () => {
  const name = mark();
  const body = { name, category: 'shipper' };
  return fixture.keyed({ method: 'POST', path: '/v2/organizations', body }, () =>
    fixture.count('organizations', { 'body.name': name }),
  );
};

const workspace = () => {
  const description = mark();
  const parties = { client: { id: fixture.workspace.client }, vendor: { id: fixture.workspace.vendor } };
  return fixture.keyed({ method: 'POST', path: '/v2/workspaces', body: { description, parties } }, () =>
    fixture.count('workspaces', { 'body.description': description }),
  );
};

const record = () => {
  const name = mark();
  const path = `/workspaces/${fixture.workspace.id}/catalogs/products`;
  return fixture.keyed({ method: 'POST', path, body: { name, xref: name } }, () =>
    fixture.count('catalog_records', { 'body.name': name }),
  );
};

/** A Data API job, in the workspace of its parties. */
const dataApiJob = (method: 'POST' | 'PUT') => {
  const refNumber = mark();
  const body = { ...shapeA(fixture.workspace), refNumber };
  return fixture.keyed({ method, path: '/bridge/v1/data/jobs', body }, () =>
    fixture.count('documents', { 'body.refNumber': refNumber }),
  );
};

const port = () => {
  const code = mark();
  return fixture.keyed({ method: 'PUT', path: `/api/rest/1.0/ports/${code}`, body: { name: code } }, () =>
    fixture.count('reference_records', { code }),
  );
};

const existingPort = async () => {
  const code = mark();
  const path = `/api/rest/1.0/ports/${code}`;
  await fixture.service.ask('PUT', path, { as: 'client', body: { name: code } });
  return fixture.keyed({ method: 'PUT', path, body: { name: `${code} again` } }, async () => {
    const found = await fixture.service.stores.referenceRecords.findOne({ code });
    return (found?.revision ?? 0) - 1;
  });
};

const synonym = async () => {
  const ids: string[] = [];
  for (const name of [mark(), mark()]) {
    const path = `/workspaces/${fixture.workspace.id}/catalogs/products`;
    ids.push((await fixture.service.ask('POST', path, { as: 'client', body: { name } })).body.id);
  }
  const path = `/v2/workspaces/${fixture.workspace.id}/xrefs/products/${ids[0]}/synonyms/${ids[1]}`;
  return fixture.keyed({ method: 'POST', path }, () => fixture.count('synonyms', { items: { $all: ids } }));
};

const KINDS: readonly WriteKind[] = [
  { name: 'one job', ...insertInto('documents'), trials: async () => [job()] },
  { name: '12 jobs at once', ...insertInto('documents'), trials: async () => Array.from({ length: 12 }, () => job()) },
  { name: 'job with new records: insert', ...insertInto('documents'), trials: async () => [jobWithRecords()] },
  { name: 'job with new records: commit', ...COMMIT, trials: async () => [jobWithRecords()] },
  { name: 'bulk: insert', ...insertInto('documents'), trials: async () => [bulk()] },
  { name: 'bulk: commit', ...COMMIT, trials: async () => [bulk()] },
  { name: 'organization', ...insertInto('organizations'), trials: async () => [organization()] },
  {
    name: '3 organizations at once',
    ...insertInto('organizations'),
    trials: async () => [organization(), organization(), organization()],
  },
  { name: 'workspace: commit', ...COMMIT, trials: async () => [workspace()] },
  { name: 'catalog record', ...insertInto('catalog_records'), trials: async () => [record()] },
  { name: 'synonym', ...insertInto('synonyms'), trials: async () => [await synonym()] },
  { name: 'Data API job', ...insertInto('documents'), trials: async () => [dataApiJob('POST')] },
  { name: 'new port: insert', ...insertInto('reference_records'), trials: async () => [port()] },
  { name: 'new port: commit', ...COMMIT, trials: async () => [port()] },
  {
    name: 'existing port: version',
    commands: ['update'],
    collection: 'versions',
    trials: async () => [await existingPort()],
  },
  {
    name: 'existing port: replace',
    commands: ['update'],
    collection: 'reference_records',
    trials: async () => [await existingPort()],
  },
  { name: 'claim of a key', ...insertInto('idempotency'), trials: async () => [job()] },
  { name: 'answer kept under a key', commands: ['update'], collection: 'idempotency', trials: async () => [job()] },
];

describe('a creation answers 2xx only if it is stored once, else 503, and a retry makes one', () => {
  it.each(KINDS)('$name', async (kind) => {
    table.set(kind.name, await tryUnderFaults(fixture.mongod, fixture.service, kind));
  });
});

it("a bulk too large for MongoDB's cache is refused, and leaves nothing", async () => {
  const { mongod, service } = fixture;
  const namespace = `${service.stores.db.databaseName}.documents`;
  await mongod.fail({ commands: ['insert'], namespace, times: 1, data: { errorCode: 388 } });
  const { send, times } = bulk();
  const answer = await send();
  expect([answer.status, answer.body.code]).toEqual([413, 'TOO_LARGE']);
  expect(answer.body.detail).toContain('send it in smaller parts');
  expect(await times(answer)).toBe(0);
});
