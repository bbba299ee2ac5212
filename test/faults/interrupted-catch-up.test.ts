import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENTS_LEASE, type NewEvent } from '../../src/store/events/event-log.ts';
import { startProjecting } from '../../src/store/events/event-projector.ts';
import { filePart, formOf, sendForm } from '../rest-compat/form.ts';
import { type FaultFixture, startFaultFixture } from './fault-fixture.ts';

/** More than one write of the projector has. */
const JOBS = 1_200;
const HOUR_MS = 3_600_000;

let fixture: FaultFixture;

beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(() => fixture.stop());

const collection = (name: string) =>
  fixture.mongod.client.db(fixture.service.stores.db.databaseName).collection<{ _id: string }>(name);

const documents = () => `/v2/workspaces/${fixture.workspace.id}/documents`;

/** Creates jobs; their ids. */
async function makeJobs(count: number): Promise<string[]> {
  const body = { type: 'svc.inspection.job', body: Array.from({ length: count }, () => ({})) };
  const made = await fixture.service.ask('POST', `${documents()}/bulk`, { as: 'client', body });
  expect(made.status).toBe(201);
  return made.body.map(({ id }: { id: string }) => id);
}

async function attach(job: string): Promise<string> {
  const form = formOf(filePart('contents'));
  return (await sendForm(fixture.service, `${documents()}/${job}/attachments`, form, { as: 'vendor' })).body.id;
}

/** Projects until it was interrupted, or until `isDone`; then stops, as the next gateway goes on. */
async function project(isDone: (interruptions: unknown[]) => boolean | Promise<boolean>): Promise<void> {
  const { db, events } = fixture.service.stores;
  const interruptions: unknown[] = [];
  const warn = ({ err }: { err?: unknown }) => void (err && interruptions.push(err));
  const end = startProjecting(db, events, { keptMs: HOUR_MS, log: { info: () => undefined, warn } });
  await expect.poll(() => isDone(interruptions), { timeout: 30_000 }).toBe(true);
  await end();
}

it('a gateway that goes on after an interrupted catch-up reports the attachments, too', async () => {
  const { service, mongod } = fixture;
  const jobs = (await Promise.all([makeJobs(JOBS / 3), makeJobs(JOBS / 3), makeJobs(JOBS / 3)])).flat();
  const [first = '', ...later] = [await attach(jobs[0] ?? ''), await attach(jobs[1] ?? '')];
  const now = Date.now();
  await collection('attachments').updateOne({ _id: first }, { $set: { modified_at: new Date(now - HOUR_MS) } });
  const before: NewEvent = {
    ...{ _id: 'before 1', kind: 'created', document: 'before', type: 'svc.inspection.job', workspace: null },
    ...{ readers: ['nobody'], version: '1', by: null, at: new Date(now - 2 * HOUR_MS) },
  };
  await service.stores.events.write([before], { after: 0, keptMs: HOUR_MS });
  await collection('leases').insertOne({ _id: EVENTS_LEASE, holder: 'x', until: new Date(0), restored: true } as never);

  const written = () => collection('events').countDocuments();
  const namespace = `${service.stores.db.databaseName}.events`;
  await mongod.fail({ commands: ['insert'], namespace, skip: 1, data: { errorCode: 8 } });
  await project((interruptions) => interruptions.length > 0);
  await mongod.heal();
  expect(await written()).toBe(1_001);

  await project(async () => (await collection('leases').findOne({ restored: false } as never)) !== null);
  const events = await service.stores.events.after(1, 2 * JOBS);
  expect(events.map(({ document }) => document).sort()).toEqual([...jobs, first, ...later].sort());
  expect(events[0]?.document).toBe(first);
  expect(events.map(({ at }) => at.getTime())).toEqual(events.map(({ at }) => at.getTime()).toSorted((a, b) => a - b));
}, 120_000);
