import { expect, it } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';

const PATIENCE = { timeout: 20_000 } as const;
const env = (documents: number) => ({ MAX_TENANT_DOCUMENTS: String(documents) });

const create = (service: TestService, workspace: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} }),
    ),
  );

const usageOf = ({ stores }: TestService) =>
  stores.db.collection<{ _id: string; documents: number; changes: number }>('tenant_usage').findOne({
    _id: DEMO_TENANTS.client,
  });

it('consecutive creations are counted together, and surplus reservations are given back', async () => {
  await using service = await startTestService({ env: env(100_000) });
  const { id } = await makeWorkspace(service);
  for (let made = 0; made < 100; made++) expect((await create(service, id, 1))[0]?.status).toBe(201);
  expect((await usageOf(service))?.changes).toBeLessThan(50);
  await expect.poll(async () => (await usageOf(service))?.documents, PATIENCE).toBe(100);
});

it('gateways that reserve places jointly store exactly the limit, and a deletion frees one', async () => {
  await using service = await startTestService({ env: env(150) });
  await using other = await startTestService({ env: env(150), database: service.stores.db.databaseName });
  const { id } = await makeWorkspace(service);
  const stored: string[] = [];
  for (let burst = 0; burst < 12; burst++) {
    const [here, there] = await Promise.all([create(service, id, 4), create(other, id, 12)]);
    stored.push(...[...here, ...there].flatMap(({ status, body }) => (status === 201 ? [body.id as string] : [])));
  }
  expect(stored).toHaveLength(150);
  expect(await service.stores.db.collection('documents').countDocuments()).toBe(150);
  expect((await usageOf(service))?.documents).toBe(150);
  await service.ask('DELETE', `/workspaces/${id}/jobs/${stored[0]}`, { as: 'client' });
  const answers = [...(await create(service, id, 1)), ...(await create(other, id, 1))];
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
});

it('places reserved but unused by another gateway are waited for, not refused', async () => {
  await using service = await startTestService({ env: env(60) });
  await using other = await startTestService({ env: env(60), database: service.stores.db.databaseName });
  const { id } = await makeWorkspace(service);
  expect((await create(service, id, 1)).map(({ status }) => status)).toEqual([201]);
  expect((await create(service, id, 1)).map(({ status }) => status)).toEqual([201]);
  const answers = await create(other, id, 58);
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  expect((await create(other, id, 1)).map(({ status }) => status)).toEqual([403]);
});

it('a stopping gateway gives back its reservations', async () => {
  await using service = await startTestService({ env: env(100_000) });
  const { id } = await makeWorkspace(service);
  {
    await using stopping = await startTestService({ env: env(100_000), database: service.stores.db.databaseName });
    for (let burst = 0; burst < 3; burst++) await create(stopping, id, 2);
  }
  expect((await usageOf(service))?.documents).toBe(6);
});
