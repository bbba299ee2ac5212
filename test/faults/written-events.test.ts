import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EventClient } from '../events/event-client.ts';
import { makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';
import { type FaultyMongod, startFaultyMongod } from './faulty-mongod.ts';

let mongod: FaultyMongod;
let service: TestService;
let workspace: TestWorkspace;
let client: EventClient;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri, records: true });
  workspace = await makeWorkspace(service);
  await projectorBegins(service);
  client = await EventClient.open(service, { variables: { workspace: workspace.id } });
});
afterAll(async () => {
  client.close();
  await mongod.heal();
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

const namespace = () => `${service.stores.db.databaseName}.events`;
const create = async (): Promise<string> => {
  const { body } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
  return body.id;
};
const told = async (count: number) => (await client.events(count)).map(({ documentId }) => documentId);

it('an event not confirmed by a majority is withheld, and delivered once, in order, when it is', async () => {
  const ids = [await create()];
  expect(await told(1)).toEqual(ids);
  const handed: string[] = [];
  const end = service.stores.events.onWritten((events) => handed.push(...events.map(({ document }) => document)));
  const writeConcernError = { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out' };
  const fault = await mongod.fail({
    commands: ['insert'],
    namespace: namespace(),
    times: 1,
    data: { writeConcernError },
  });
  ids.push(await create());
  await fault.met();
  ids.push(await create());
  expect(await told(3)).toEqual(ids);
  await vi.waitFor(() => expect(handed).toEqual(ids.slice(2)), { timeout: 20_000 });
  end();
});

it("a stream gets its own process's events without reading the log", async () => {
  const seen = (await told(0)).length;
  const blockTimeMS = 15_000;
  const began = performance.now();
  await mongod.fail({ commands: ['find'], namespace: namespace(), data: { blockConnection: true, blockTimeMS } });
  const ids = [await create(), await create()];
  expect((await told(seen + 2)).slice(seen)).toEqual(ids);
  expect(performance.now() - began).toBeLessThan(blockTimeMS);
});
