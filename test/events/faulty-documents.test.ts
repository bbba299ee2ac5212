import { beforeAll, expect, it } from 'vitest';
import { serviceFixture, startTestService, type TestService, workspaceFixture } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const collection = (name: string) => service.stores.db.collection<{ _id: string }>(name);
const recorder = () => startTestService({ database: service.stores.db.databaseName, records: true });

async function create(): Promise<string> {
  const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
  expect(made.status).toBe(201);
  return made.body.id;
}

/** Stores a new version of a job by hand, with these readers. */
async function putReaders(job: string, readers: unknown): Promise<void> {
  const before = await collection('documents').findOne({ _id: job });
  const version = { version_id: crypto.randomUUID(), revision: 2, modified_at: new Date() };
  await collection('documents').replaceOne({ _id: job }, { ...before, ...version, readers });
  const kept = { entity: job, revision: 1, body: {}, workspace: workspace.id };
  await collection('versions').insertOne({ _id: version.version_id, ...kept } as never);
}

const kindsOf = async (job: string) => {
  const events = await collection('events')
    .find({ document: job } as never, { sort: { sequence: 1 } as never })
    .toArray();
  return events.map((event) => (event as { kind?: string }).kind);
};
const problemsOf = ({ logged }: TestService) =>
  logged.filter(({ level }) => Number(level) >= 40).map(({ msg, document }) => [msg, document]);
const LEFT_OUT = 'a change of a document cannot be an event; it is left out';

let odd: string;
let readers: readonly string[];

beforeAll(async () => {
  readers = (await service.stores.workspaces.byId(workspace.id))?.readers ?? [];
});

it('a change of a document whose readers are of a type that nobody expects is left out, and named in the log', async () => {
  await using recording = await recorder();
  await projectorBegins(recording);
  odd = await create();
  await putReaders(odd, 'a text');
  const after = await create();
  await expect.poll(() => kindsOf(after), { timeout: 20_000 }).toEqual(['created']);
  expect(await kindsOf(odd)).toEqual(['created']);
  expect(problemsOf(recording)).toEqual([[LEFT_OUT, odd]]);
});

it('nor does it hold up a gateway that reads what changed since the last event; its next change is an event again', async () => {
  const unseen = await create();
  await collection('leases').updateOne({ _id: 'events' }, { $set: { restored: true } });
  await using recording = await recorder();
  await expect.poll(() => kindsOf(unseen), { timeout: 20_000 }).toEqual(['created']);
  expect(problemsOf(recording)).toEqual([[LEFT_OUT, odd]]);
  await putReaders(odd, readers);
  await expect.poll(() => kindsOf(odd), { timeout: 20_000 }).toEqual(['created', 'changed']);
});
