import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterAll, expect, inject, it } from 'vitest';
import { dropDatabase } from '../../drop-database.ts';
import { BOUNDARY, filePart, formOf } from '../../rest-compat/form.ts';
import { CALLERS, makeWorkspace, serviceFixture } from '../../service.ts';
import { startGatewayProcess } from '../gateway-process.ts';

const database = `test_${newId().replaceAll('-', '')}`;
const gateways: ChildProcess[] = [];

const service = serviceFixture({ database });
afterAll(async () => {
  for (const gateway of gateways) gateway.kill('SIGKILL');
  await dropDatabase(service.stores.db);
});

async function startGateway() {
  const started = await startGatewayProcess(inject('mongoUri'), database);
  gateways.push(started.gateway);
  return started;
}

const count = (collection: string) => service.stores.db.collection(collection).countDocuments();

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1_600 && !(await reached()); i++) await sleep(25);
  expect(await reached()).toBe(true);
}

it("a killed gateway's upload is swept by the next one to start", async () => {
  const { gateway, url } = await startGateway();
  const workspace = (await makeWorkspace(service)).id;
  const job = (await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} })).body.id;

  const form = formOf(filePart(Buffer.alloc(24_000_000, 'x')));
  const upload = request(`${url}/workspaces/${workspace}/jobs/${job}/files`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${CALLERS.client}`,
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length': form.length,
    },
  }).on('error', () => {});
  upload.write(form.subarray(0, 20_000_000));
  await until(async () => (await count('fs.chunks')) >= 10);
  gateway.kill('SIGKILL');
  await once(gateway, 'exit');
  await sleep(200); // writes in flight to MongoDB arrive

  expect([await count('fs.files'), await count('attachments'), await count('loose_files')]).toEqual([0, 0, 1]);
  expect(await service.stores.files.sweep()).toBe(0); // it may still be running, for all others know
  await service.stores.db.collection('loose_files').updateMany({}, { $set: { until: new Date(Date.now() - 1) } });
  await startGateway();
  await until(async () => (await count('fs.chunks')) + (await count('loose_files')) === 0);
});
