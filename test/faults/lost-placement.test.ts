import { afterAll, beforeAll, expect, it } from 'vitest';
import { shapeA } from '../rest-compat/data-api/bodies.ts';
import { makeWorkspace } from '../service.ts';
import { type FaultFixture, mark, startFaultFixture } from './fault-fixture.ts';

let fixture: FaultFixture;
beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(() => fixture.stop());

it('a job of the Data API is stored once under its key, although its workspace is deleted and the answer is lost', async () => {
  const { service, mongod } = fixture;
  const workspace = await makeWorkspace(service);
  const { databaseName } = service.stores.db;
  const workspaces = mongod.client.db(databaseName).collection<{ _id: string }>('workspaces');
  const refNumber = mark();
  const path = '/bridge/v1/data/jobs';
  const body = { ...shapeA(workspace), refNumber };
  const stored = () => fixture.count('documents', { 'body.refNumber': refNumber });
  const { send } = fixture.keyed({ method: 'POST', path, body }, stored);

  await workspaces.updateOne({ _id: workspace.id }, { $set: { deleting_at: new Date() } });
  const lost = send();
  await expect.poll(stored).toBe(1);
  await mongod.fail({
    commands: ['insert'],
    namespace: `${databaseName}.documents`,
    data: { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } },
  });
  await workspaces.deleteOne({ _id: workspace.id });
  expect((await lost).status).toBe(503);
  await mongod.heal();

  expect([(await send()).status, await stored()]).toEqual([201, 1]);
  expect([(await send()).headers.get('idempotency-replayed'), await stored()]).toEqual(['true', 1]);
});
