import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { verify } from '../../../src/verification/verify.ts';
import { type Caller, makeWorkspace, startTestService, type TestService } from '../../service.ts';

const mongo = new MongoClient(inject('mongoUri'));
afterAll(() => mongo.close());

const DOCUMENTS = { MAX_TENANT_DOCUMENTS: '5' };
const findings = async ({ stores }: TestService) =>
  (await verify({ client: mongo, db: mongo.db(stores.db.databaseName), againMs: 0 })).findings;

const createJob = (service: TestService, workspace: string, as: Caller = 'client') =>
  service.ask('POST', `/workspaces/${workspace}/jobs`, { as, body: {} });

/** The outcomes of requests: how often each status, and each code. */
const outcomes = (answers: readonly { status: number; body: { code?: string } }[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status, body }) => (status < 300 ? status : `${status} ${body.code}`))].map(
      ([name, all]) => [name, all.length],
    ),
  );

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const upload = (service: TestService, path: string, size: number) => {
  const form = new FormData();
  form.append('file', new Blob(['x'.repeat(size)]), 'a.txt');
  return fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { Authorization: 'Bearer demo-client-key' },
    body: form,
  });
};

describe('a quota of documents', () => {
  it('stores as many as it allows under concurrency, and says which quota is used up', async () => {
    await using service = await startTestService({ env: DOCUMENTS });
    await using other = await startTestService({ env: DOCUMENTS, database: service.stores.db.databaseName });
    const { id } = await makeWorkspace(service);
    const answers = await Promise.all(times(14, (i) => createJob(i % 2 ? service : other, id)));
    expect(outcomes(answers)).toEqual({ 201: 5, '403 QUOTA_EXCEEDED': 9 });
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body.detail).toMatch(/may have 5 documents \(MAX_TENANT_DOCUMENTS\) and has 5: 1 more is too many/);
    expect(await service.stores.db.collection('documents').countDocuments()).toBe(5);
    const graphql = await service.graphql(`mutation { createJob(workspace: "${id}", body: {}) { id } }`);
    expect(graphql.body.errors[0].extensions.code).toBe('QUOTA_EXCEEDED');
    const own = await service.ask('POST', '/bridge/v1/data/jobs', {
      as: 'client',
      body: { client: { xref: 'a', name: 'A' }, vendor: { xref: 'b', name: 'B' } },
    });
    expect([own.status, own.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    expect(await findings(service)).toEqual([]);
  });

  it('belongs to the sending tenant; changes are free, and any deletion frees a place', async () => {
    await using service = await startTestService({ env: DOCUMENTS });
    const { id } = await makeWorkspace(service);
    const jobs = await Promise.all(times(5, () => createJob(service, id)));
    const [job] = jobs.map(({ body }) => body.id as string);
    expect((await createJob(service, id, 'vendor')).status).toBe(201);
    const patch = { as: 'vendor', body: { refNumber: 'changed' } } as const;
    expect((await service.ask('PATCH', `/workspaces/${id}/jobs/${job}`, patch)).status).toBe(200);
    expect((await createJob(service, id)).status).toBe(403);
    expect((await service.ask('DELETE', `/workspaces/${id}/jobs/${job}`, { as: 'vendor' })).status).toBe(200);
    expect(outcomes(await Promise.all(times(3, () => createJob(service, id))))).toEqual({
      201: 1,
      '403 QUOTA_EXCEEDED': 2,
    });
    expect(await service.stores.usage.list()).toEqual(
      expect.arrayContaining([expect.objectContaining({ documents: 5 }), expect.objectContaining({ documents: 1 })]),
    );
    expect(await findings(service)).toEqual([]);
  });

  it('accepts a bulk whole, or refuses it', async () => {
    await using service = await startTestService({ env: DOCUMENTS });
    const { id } = await makeWorkspace(service);
    const path = `/v2/workspaces/${id}/documents/bulk`;
    const bulk = (size: number, product?: string) =>
      service.ask('POST', path, {
        as: 'client',
        body: {
          type: 'svc.inspection.job',
          body: times(size, () => (product ? { cargo: { product: { name: product } } } : {})),
        },
      });
    expect(outcomes([await bulk(6)])).toEqual({ '403 QUOTA_EXCEEDED': 1 });
    expect(outcomes(await Promise.all([bulk(3, 'Gasoil'), bulk(3, 'Gasoil'), bulk(3)]))).toEqual({
      201: 1,
      '403 QUOTA_EXCEEDED': 2,
    });
    expect(await service.stores.db.collection('documents').countDocuments()).toBe(3);
    expect(outcomes([await bulk(2)])).toEqual({ 201: 1 });
    expect(await findings(service)).toEqual([]);
  });

  it('does not count what is refused for another reason, and frees everything below a deleted document', async () => {
    await using service = await startTestService({ env: DOCUMENTS });
    const { id } = await makeWorkspace(service);
    const { body: job } = await createJob(service, id);
    const quantity = () =>
      service.ask('POST', `/workspaces/${id}/jobs/${job.id}/quantity`, { as: 'client', body: { direction: 'source' } });
    const answers = await Promise.all(times(6, quantity));
    expect(outcomes(answers)[201]).toBe(1);
    expect(outcomes(await Promise.all(times(3, quantity)))).toEqual({ '409 DUPLICATE_DIRECTION': 3 });
    expect((await createJob(service, id)).status).toBe(201);
    expect((await service.ask('DELETE', `/workspaces/${id}/jobs/${job.id}`, { as: 'client' })).status).toBe(200);
    expect(await findings(service)).toEqual([]);
    expect(outcomes(await Promise.all(times(5, () => createJob(service, id))))).toEqual({
      201: 4,
      '403 QUOTA_EXCEEDED': 1,
    });
  });

  it('replays a request under its Idempotency-Key when nothing more may be stored', async () => {
    await using service = await startTestService({ env: { MAX_TENANT_DOCUMENTS: '1' } });
    const { id } = await makeWorkspace(service);
    const once = () =>
      service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {}, headers: { 'Idempotency-Key': 'k' } });
    const [first, again] = [await once(), await once()];
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect((await createJob(service, id)).status).toBe(403);
  });
});

describe('a quota of workspaces', () => {
  it('counts those that a tenant opened, and a deletion frees one', async () => {
    await using service = await startTestService({ env: { MAX_TENANT_WORKSPACES: '2' } });
    const { id, client: own, vendor } = await makeWorkspace(service);
    const open = (as: Caller = 'client') =>
      service.ask('POST', '/v2/workspaces', {
        as,
        body: { description: 'd', parties: { client: { id: own }, vendor: { id: vendor } } },
      });
    const answers = await Promise.all(times(4, () => open()));
    expect(outcomes(answers)).toEqual({ 201: 1, '403 QUOTA_EXCEEDED': 3 });
    expect(answers.find(({ status }) => status === 403)?.body.detail).toContain(
      'may have 2 workspaces (MAX_TENANT_WORKSPACES)',
    );
    expect((await open('vendor')).status).toBe(201);
    expect((await service.ask('DELETE', `/v2/workspaces/${id}`, { as: 'vendor' })).status).toBeLessThan(300);
    expect(outcomes([await open(), await open()])).toEqual({ 201: 1, '403 QUOTA_EXCEEDED': 1 });
    expect(await findings(service)).toEqual([]);
  });
});

describe('a quota of bytes of files', () => {
  it('accepts files while they fit, refuses more while they arrive, and leaves nothing of them', async () => {
    await using service = await startTestService({ env: { MAX_TENANT_FILE_BYTES: '1000000' } });
    const { id } = await makeWorkspace(service);
    const { body: job } = await createJob(service, id);
    const files = `/v2/workspaces/${id}/documents/${job.id}/attachments`;
    const first = await upload(service, files, 600_000);
    expect(first.status).toBe(201);
    const attached = (await first.json()) as { id: string };
    const refused = await upload(service, `/workspaces/${id}/jobs/${job.id}/files`, 400_001);
    expect(refused.status).toBe(403);
    const problem = (await refused.json()) as { code: string; detail: string };
    expect(problem.code).toBe('QUOTA_EXCEEDED');
    expect(problem.detail).toContain('may have 1000000 bytes of files (MAX_TENANT_FILE_BYTES) and has 600000');
    const large = await upload(service, files, 20_000_000);
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([403, 'QUOTA_EXCEEDED']);
    const both = await Promise.all([upload(service, files, 300_000), upload(service, files, 300_000)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403]);
    const loose = service.stores.db.collection('loose_files');
    await expect.poll(() => loose.countDocuments()).toBe(0);
    expect((await service.ask('DELETE', `${files}/${attached.id}`, { as: 'vendor' })).status).toBeLessThan(300);
    expect((await upload(service, files, 700_000)).status).toBe(201);
    expect((await upload(service, files, 1)).status).toBe(403);
    expect((await upload(service, files, 0)).status).toBe(201);
    expect((await upload(service, `/workspaces/${id}/jobs/${job.id}/files`, 0)).status).toBe(201);
    expect((await service.ask('DELETE', `/workspaces/${id}/jobs/${job.id}`, { as: 'client' })).status).toBe(200);
    expect(await findings(service)).toEqual([]);
    expect(await service.stores.usage.list()).toEqual([
      expect.objectContaining({ fileBytes: 0, documents: 0, workspaces: 1 }),
    ]);
  });
});

describe('tenant usage', () => {
  it('is not counted without quotas, and is counted once there are some', async () => {
    await using service = await startTestService();
    const { id } = await makeWorkspace(service);
    for (const _ of [1, 2, 3]) expect((await createJob(service, id)).status).toBe(201);
    const usage = service.stores.db.collection('tenant_usage');
    expect(await usage.countDocuments()).toBe(0);
    const database = service.stores.db.databaseName;
    await using limited = await startTestService({ env: { MAX_TENANT_DOCUMENTS: '4' }, database });
    expect(outcomes(await Promise.all(times(3, () => createJob(limited, id))))).toEqual({
      201: 1,
      '403 QUOTA_EXCEEDED': 2,
    });
    expect(await findings(limited)).toEqual([]);
    await using again = await startTestService({ env: { MAX_TENANT_DOCUMENTS: '4' }, database });
    expect((await createJob(again, id)).status).toBe(403);
    await using free = await startTestService({ database });
    expect(await usage.countDocuments()).toBe(0);
    expect((await createJob(free, id)).status).toBe(201);
  });

  it('is verified, and corrected by a rebuild, but not while it changes', async () => {
    await using service = await startTestService({ env: DOCUMENTS, usageSettlesMs: 300 });
    const { id } = await makeWorkspace(service);
    for (const _ of [1, 2, 3]) await createJob(service, id);
    const usage = service.stores.db.collection<{ _id: string }>('tenant_usage');
    await usage.updateMany({}, { $inc: { documents: 2 } });
    const [finding] = await findings(service);
    expect(finding).toMatchObject({
      collection: 'tenant_usage',
      fault: expect.stringContaining('says 5 documents, and there are 3'),
    });
    const meanwhile = service.stores.usage.rebuild();
    await usage.updateMany({}, { $inc: { documents: 1, changes: 1 } });
    const { corrected, busy } = await meanwhile;
    expect(busy).toEqual([]);
    expect(corrected).toEqual([
      expect.objectContaining({
        kept: expect.objectContaining({ documents: 6 }),
        stored: expect.objectContaining({ documents: 3 }),
      }),
    ]);
    expect(await findings(service)).toEqual([]);
    expect(outcomes(await Promise.all(times(3, () => createJob(service, id))))).toEqual({
      201: 2,
      '403 QUOTA_EXCEEDED': 1,
    });
  });

  it('includes what a transaction longer than a rebuild is still storing', async () => {
    await using service = await startTestService({ env: DOCUMENTS, usageSettlesMs: 300 });
    const { id } = await makeWorkspace(service);
    await createJob(service, id);
    const { db, documents, usage, transaction } = service.stores;
    const stored = (await db.collection<StoredDocument>('documents').findOne()) as StoredDocument;
    await transaction(async (tx) => {
      await documents.insertMany(
        times(4, () => ({ ...stored, _id: newId() })),
        tx,
      );
      expect(await usage.rebuild()).toEqual({ corrected: [], busy: [DEMO_TENANTS.client] });
    });
    expect(await usage.list()).toMatchObject([{ documents: 5 }]);
    expect((await createJob(service, id)).status).toBe(403);
  });

  it('recovers by itself when gateways were killed between counting and writing', async () => {
    await using service = await startTestService({ env: DOCUMENTS, usageSettlesMs: 300 });
    const { id } = await makeWorkspace(service);
    await createJob(service, id);
    const { client } = DEMO_TENANTS;
    for (const _ of [1, 2, 3, 4]) await service.stores.usage.take('documents', client, 1); // and no write follows
    expect((await createJob(service, id)).status).toBe(403);
    await expect.poll(() => service.stores.usage.list(), { timeout: 20_000 }).toMatchObject([{ documents: 1 }]);
    expect(outcomes(await Promise.all(times(6, () => createJob(service, id))))).toEqual({
      201: 4,
      '403 QUOTA_EXCEEDED': 2,
    });
    expect(await findings(service)).toEqual([]);
  });
});
