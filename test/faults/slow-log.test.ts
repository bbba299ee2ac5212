import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import type { NewEvent } from '../../src/store/events/event-log.ts';
import { startTestService, type TestService } from '../service.ts';
import { type FaultyMongod, startFaultyMongod } from './faulty-mongod.ts';

/** One read looks through 10,000 events. */
const EVENTS = 60_000;
const RARE = 'svc.inspection.timelog';
const TIMEOUT_MS = 8_000;

let mongod: FaultyMongod;
let service: TestService;

const eventAt = (sequence: number): NewEvent => ({
  ...{ _id: `${sequence} 1`, kind: 'created', document: `${sequence}`, workspace: null, version: null, by: null },
  ...{ type: sequence === EVENTS ? RARE : 'svc.inspection.job', readers: [DEMO_TENANTS.client], at: new Date() },
});

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri, env: { GRAPHQL_TIMEOUT_MS: String(TIMEOUT_MS) } });
  const events = Array.from({ length: EVENTS }, (_, index) => eventAt(index + 1));
  for (let after = 0; after < EVENTS; after += 5_000)
    await service.stores.events.write(events.slice(after, after + 5_000), { after, keptMs: 3_600_000 });
});
afterAll(async () => {
  await mongod.heal();
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

it('a page that would take too long says how far it looked, so that the next one goes on there', async () => {
  await mongod.fail({
    commands: ['find'],
    namespace: `${service.stores.db.databaseName}.events`,
    data: { blockConnection: true, blockTimeMS: 500 },
  });
  const query = `query ($after: ID, $wait: Int!) { changes(after: $after, types: ["${RARE}"], wait: $wait) { changes { id } next } }`;
  const places = [0];
  let found: { id: string }[] = [];
  while (found.length === 0 && places.length < 10) {
    const { body } = await service.graphql(query, { after: String(places.at(-1)), wait: places.length % 2 ? 0 : 30 });
    expect(body.errors).toBeUndefined();
    found = body.data.changes.changes;
    places.push(Number(body.data.changes.next));
  }
  expect(found.map(({ id }) => id)).toEqual([String(EVENTS)]);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places.length).toBeGreaterThan(2);
  expect(places.at(-1)).toBe(EVENTS);
}, 120_000);
