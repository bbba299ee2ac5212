// May take 20 s: a cached credential is looked up again after some seconds.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';
import { type FaultyMongod, startFaultyMongod } from './faulty-mongod.ts';

/** How long a credential is cached. */
const KNOWN_MS = 5_500;
const LOOK_UP_MS = 600;
const NOTES = 'n'.repeat(2_100_000);
/** One tenant's clients may hold eight times as much. */
const GRAPHQL_MAX_ANSWER_BYTES = String(6 * 1024 * 1024);

let mongod: FaultyMongod;
let service: TestService;
let query: string;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri, env: { GRAPHQL_MAX_ANSWER_BYTES } });
  const lists: string[] = [];
  for (const name of ['a', 'b']) {
    const { id } = await makeWorkspace(service);
    for (let made = 0; made < 5; made += 1)
      await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { notes: NOTES } });
    lists.push(`${name}: jobs(workspace: "${id}", first: 5) { nodes { id } }`);
  }
  query = `{ ${lists.join(' ')} }`;
});
afterAll(async () => {
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

const ask = async () => (await service.ask('POST', '/graphql', { as: 'client', body: { query } })).body;

it('a client that leaves during its credential look-up does not count against limits', {
  timeout: 120_000,
}, async () => {
  expect(Object.keys((await ask()).data)).toEqual(['a', 'b']);
  const namespace = `${service.stores.db.databaseName}.principals`;
  const blockConnection = { blockConnection: true, blockTimeMS: LOOK_UP_MS };
  for (let left = 0; left < 3; left += 1) {
    await sleep(KNOWN_MS);
    const { met } = await mongod.fail({ commands: ['find'], namespace, times: 1, data: blockConnection });
    const address = new URL(`/graphql?query=${encodeURIComponent(query)}`, service.url);
    const leaving = request(address, { headers: { Authorization: 'Bearer demo-client-key' }, agent: false });
    leaving.on('error', () => undefined);
    leaving.end();
    await met();
    leaving.socket?.resetAndDestroy();
    await sleep(2 * LOOK_UP_MS);
    await mongod.heal();
  }
  expect((await ask()).errors).toBeUndefined();
});
