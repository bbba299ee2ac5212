import { afterAll, beforeAll, describe, it } from 'vitest';
import { shapeA } from '../rest-compat/data-api/bodies.ts';
import { type FaultStage, mark, startFaultStage } from './stage.ts';
import { tryUnderFaults, type WriteKind, writeTable } from './trials.ts';

let stage: FaultStage;
const table = new Map<string, Awaited<ReturnType<typeof tryUnderFaults>>>();

beforeAll(async () => {
  stage = await startFaultStage();
});
afterAll(async () => {
  writeTable('creations', table);
  await stage.stop();
});

const COMMIT = { commands: ['commitTransaction'] };
const insertInto = (collection: string) => ({ commands: ['insert'], collection });

const job = (more: (refNumber: string) => object = () => ({})) => {
  const refNumber = mark();
  const path = `/workspaces/${stage.workspace.id}/jobs`;
  const request = { method: 'POST', path, body: { refNumber, ...more(refNumber) } };
  return stage.keyed(request, () => stage.count('documents', { 'body.refNumber': refNumber }));
};

const jobWithRecords = () => job((name) => ({ location: { name }, transports: [{ name, xref: name }] }));

const bulk = () => {
  const [refNumber, name] = [mark(), mark()];
  const body = {
    type: 'svc.inspection.job',
    body: Array.from({ length: 5 }, () => ({ refNumber, status: 'pending', activity: 'load', location: { name } })),
  };
  const path = `/v2/workspaces/${stage.workspace.id}/documents/bulk`;
  // Whole or not at all: 5 documents and their record are one.
  return stage.keyed({ method: 'POST', path, body }, async () => {
    const documents = await stage.count('documents', { 'body.refNumber': refNumber });
    const records = await stage.count('catalog_records', { 'body.name': name });
    return documents === 0 && records === 0 ? 0 : documents === 5 && records === 1 ? 1 : -documents;
  });
};

const organization = () => {
  const name = mark();
  const body = { name, category: 'shipper' };
  return stage.keyed({ method: 'POST', path: '/v2/organizations', body }, () =>
    stage.count('organizations', { 'body.name': name }),
  );
};

const workspace = () => {
  const description = mark();
  const parties = { client: { id: stage.workspace.client }, vendor: { id: stage.workspace.vendor } };
  return stage.keyed({ method: 'POST', path: '/v2/workspaces', body: { description, parties } }, () =>
    stage.count('workspaces', { 'body.description': description }),
  );
};

const record = () => {
  const name = mark();
  const path = `/workspaces/${stage.workspace.id}/catalogs/products`;
  return stage.keyed({ method: 'POST', path, body: { name, xref: name } }, () =>
    stage.count('catalog_records', { 'body.name': name }),
  );
};

/** A job of the Data API, in the workspace of its parties. */
const dataApiJob = (method: 'POST' | 'PUT') => {
  const refNumber = mark();
  const body = { ...shapeA(stage.workspace), refNumber };
  return stage.keyed({ method, path: '/bridge/v1/data/jobs', body }, () =>
    stage.count('documents', { 'body.refNumber': refNumber }),
  );
};

const port = () => {
  const code = mark();
  return stage.keyed({ method: 'PUT', path: `/api/rest/1.0/ports/${code}`, body: { name: code } }, () =>
    stage.count('reference_records', { code }),
  );
};

const existingPort = async () => {
  const code = mark();
  const path = `/api/rest/1.0/ports/${code}`;
  await stage.service.ask('PUT', path, { as: 'client', body: { name: code } });
  return stage.keyed({ method: 'PUT', path, body: { name: `${code} again` } }, async () => {
    const found = await stage.service.stores.referenceRecords.findOne({ code });
    return (found?.revision ?? 0) - 1;
  });
};

const synonym = async () => {
  const ids: string[] = [];
  for (const name of [mark(), mark()]) {
    const path = `/workspaces/${stage.workspace.id}/catalogs/products`;
    ids.push((await stage.service.ask('POST', path, { as: 'client', body: { name } })).body.id);
  }
  const path = `/v2/workspaces/${stage.workspace.id}/xrefs/products/${ids[0]}/synonyms/${ids[1]}`;
  return stage.keyed({ method: 'POST', path }, () => stage.count('synonyms', { items: { $all: ids } }));
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

describe('a creation is answered 2xx only where it is there once, and else 503, and its repeat makes one', () => {
  it.each(KINDS)('$name', async (kind) => {
    table.set(kind.name, await tryUnderFaults(stage.mongod, stage.service, kind));
  });
});
