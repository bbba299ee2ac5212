// May take 30 s: four gateways are started and killed.
import { randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import { fetchBytes, filePart, formOf, sendForm } from '../../rest-compat/form.ts';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';
import { type FaultyMongod, startFaultyMongod } from '../faulty-mongod.ts';
import { killAtWork, running, startGatewayProcess } from '../gateway-process.ts';

const SIZE = 100_000;
/** One file stored, three taken in by the killed gateway, which may be counted twice, and one more. */
const QUOTA = { MAX_TENANT_FILE_BYTES: String(8 * SIZE) };

let mongod: FaultyMongod;
beforeAll(async () => {
  mongod = await startFaultyMongod();
  // A killed gateway's open transactions end after two seconds instead of a minute.
  await mongod.client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: 2 });
});
afterAll(() => mongod[Symbol.asyncDispose]());

/** What is stored of files: as many chunks as files, one each. */
const stored = ({ stores }: TestService): Promise<number[]> =>
  Promise.all(
    ['attachments', 'fs.files', 'fs.chunks', 'loose_files'].map((name) => stores.db.collection(name).countDocuments()),
  );

describe('a small file whose gateway is killed', () => {
  it.each([
    { when: 'while it is held', commands: ['insert'], collection: 'idempotency' },
    { when: 'before its commit', commands: ['insert'], collection: 'fs.files' },
    { when: 'in its commit', commands: ['commitTransaction'], collection: undefined },
    { when: 'before its answer', commands: ['update'], collection: 'idempotency' },
  ])(
    '$when is stored whole or not at all, and once on retry; acknowledged files stay, and usage is right again',
    async ({ commands, collection }) => {
      await using service = await startTestService({ uri: mongod.uri, env: QUOTA, usageSettlesMs: 300 });
      const database = service.stores.db.databaseName;
      const { id } = await makeWorkspace(service);
      const { body: job } = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} });
      const path = `/v2/workspaces/${id}/documents/${job.id}/attachments`;
      const send = (to: Pick<TestService, 'url'>, bytes: Buffer, headers = {}) =>
        sendForm(to as TestService, path, formOf(filePart(bytes)), { headers });

      const { gateway, url } = await startGatewayProcess(mongod.uri, database, QUOTA);
      const before = randomBytes(SIZE);
      const there = await send({ url }, before);
      const files = [1, 2, 3].map(() => ({ bytes: randomBytes(SIZE), headers: { 'Idempotency-Key': newId() } }));
      const where = collection && { namespace: `${database}.${collection}` };
      const sendAll = () => Promise.allSettled(files.map(({ bytes, headers }) => send({ url }, bytes, headers)));
      await killAtWork(gateway, mongod, { commands, ...where }, sendAll);
      await expect.poll(() => running(mongod, commands)).toBe(0);
      const [attachments = 0, ...others] = await stored(service);
      expect(others).toEqual([attachments, attachments, 0]);

      // The claims on the keys expire after some seconds.
      await service.stores.db.collection('idempotency').updateMany({}, { $set: { lease_until: new Date(0) } });
      for (const { bytes, headers } of files) {
        const again = () => send(service, bytes, headers);
        await expect.poll(async () => (await again()).status, { timeout: 60_000 }).toBe(201);
        const content = await fetchBytes(service, `${path}/${(await again()).body.id}/content`);
        expect(content.bytes.equals(bytes)).toBe(true);
      }
      expect(await stored(service)).toEqual([4, 4, 4, 0]);
      const content = await fetchBytes(service, `${path}/${there.body.id}/content`);
      expect(content.bytes.equals(before)).toBe(true);

      // The killed gateway's usage is recounted when a file does not fit.
      const larger = randomBytes(4 * SIZE);
      await expect.poll(async () => (await send(service, larger)).status, { timeout: 60_000 }).toBe(201);
      const usage = { tenant: DEMO_TENANTS.client, fileBytes: 8 * SIZE };
      expect(await service.stores.usage.list()).toContainEqual(expect.objectContaining(usage));
    },
    150_000,
  );
});
