import { expect, it } from 'vitest';
import { changesFrom, presentPosition } from '../../src/store/change-streams/resume-point.ts';
import { pipelineOf, type WatchedChange } from '../../src/store/change-streams/watch.ts';
import { DocumentChanges, EVENT_WATCH } from '../../src/store/events/document-changes.ts';
import { EventLog, type NewEvent } from '../../src/store/events/event-log.ts';
import { commandsDuring } from '../profile.ts';
import { type Caller, makeWorkspace, serviceFixture, startTestService, type TestService } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';

const JOB = 'svc.inspection.job';
const service = serviceFixture();
/** A text that nearly fills a document. */
const large = (letter: string) => letter.repeat(15_500_000);

interface Change {
  readonly kind: string;
  readonly document_id: string;
}

const documents = (workspace: string) => `/v2/workspaces/${workspace}/documents`;

async function makeJob(workspace: string, refNumber: string, as: Caller = 'client'): Promise<string> {
  const body = { type: JOB, body: { refNumber, activity: 'load' } };
  const made = await service.ask('POST', documents(workspace), { as, body });
  expect(made.status).toBe(201);
  return made.body.id;
}

/** A workspace that no other tenant of the tests reads. */
async function workspaceOfStranger(): Promise<string> {
  const organization = async (category: string) => {
    const body = { name: `Own ${category}`, category };
    return { id: (await service.ask('POST', '/v2/organizations', { as: 'stranger', body })).body.id };
  };
  const parties = { client: await organization('shipper'), vendor: await organization('inspector') };
  const body = { description: 'Their own', parties };
  return (await service.ask('POST', '/workspaces', { as: 'stranger', body })).body.id;
}

/** The changes of jobs: one whose versions have more than 16 MB together, and one that is deleted. */
async function changeLargeJobs(workspace: string): Promise<Change[]> {
  const changed = await makeJob(workspace, large('a'));
  const body = { body: { refNumber: large('b') } };
  const patched = await service.ask('PATCH', `${documents(workspace)}/${changed}`, { as: 'client', body });
  const deleted = await makeJob(workspace, large('c'));
  const gone = await service.ask('DELETE', `${documents(workspace)}/${deleted}`, { as: 'client' });
  expect([patched.status, gone.status]).toEqual([200, 200]);
  return [
    { kind: 'CREATED', document_id: changed },
    { kind: 'CHANGED', document_id: changed },
    { kind: 'CREATED', document_id: deleted },
    { kind: 'DELETED', document_id: deleted },
  ];
}

/** That many changes of jobs, from the beginning. */
async function changes(gateway: TestService, count: number, as: Caller): Promise<Change[]> {
  const found: Change[] = [];
  for (let place = '0'; found.length < count; ) {
    const { body } = await gateway.ask('GET', `/v2/changes?after=${place}&wait=10&types=${JOB}`, { as });
    if (body.changes.length === 0) break;
    found.push(...body.changes.map(({ kind, document_id }: Change) => ({ kind, document_id })));
    place = body.next;
  }
  return found;
}

it('the changes of the largest documents are events, and those of others follow, also after a restart', async () => {
  const follower = () =>
    startTestService({ database: service.stores.db.databaseName, records: true, counts: true, audits: true });
  const own = (await makeWorkspace(service)).id;
  const theirs = await workspaceOfStranger();
  const expected: Change[] = [];
  const expectedOfStranger: Change[] = [];
  const change = async () => {
    expected.push(...(await changeLargeJobs(own)));
    expectedOfStranger.push({ kind: 'CREATED', document_id: await makeJob(theirs, 'R-1', 'stranger') });
  };
  const areThere = async (gateway: TestService) => {
    expect(await changes(gateway, expected.length, 'client')).toEqual(expected);
    expect(await changes(gateway, expectedOfStranger.length, 'stranger')).toEqual(expectedOfStranger);
    expect(gateway.logged.map(({ msg }) => msg).filter((msg) => /interrupted|ended/.test(String(msg)))).toEqual([]);
  };

  const first = await follower();
  await projectorBegins(first);
  await change();
  await areThere(first);
  await first.stop();
  await change(); // while nobody follows
  await using second = await follower();
  await areThere(second);
  await change();
  await areThere(second);
}, 240_000);

it('no body makes a change too large to be read: long members are left out, short ones are read as before', async () => {
  const { db } = service.stores;
  const things = db.collection<{ _id: string; type?: string; body?: object }>('documents');
  const { from } = await presentPosition(db);
  const short = { status: 'active', category: ['a', 'b'], setNumber: 1, isOffSpec: false, caption: 'é'.repeat(499) };
  const name = Array.from({ length: 400_000 }, () => 'one of many');
  const bodies = [undefined, {}, short, { ...short, refNumber: large('a') }, { ...short, name }, short];
  const byHand = [[short], Array.from({ length: 9 }, () => short), 'a text'];
  await things.insertOne({ _id: 'x', type: 'x' });
  for (const body of [...bodies, ...byHand] as object[])
    await things.replaceOne({ _id: 'x' }, { type: 'x', ...(body && { body }) });
  await things.deleteOne({ _id: 'x' });

  const stream = changesFrom<WatchedChange>(db, pipelineOf(db, [EVENT_WATCH]), { from });
  const images: unknown[] = [];
  for (let change = await stream.tryNext(); change; change = await stream.tryNext())
    if (change.documentKey?._id === 'x') images.push([change.fullDocumentBeforeChange, change.fullDocument]);
  await stream.close();
  const image = (body?: object) => ({ _id: 'x', type: 'x', ...(body && { body }) });
  const seenByHand = [image([short]), image({}), image()];
  const seen = [
    image(),
    image(),
    image({}),
    ...Array.from({ length: 4 }, () => image(short)),
    ...seenByHand,
    undefined,
  ];
  expect(images).toEqual(seen.map((after, index) => [seen[index - 1], after]));
});

it('what changed since a time is read without the long members, of documents and of the versions before', async () => {
  const { db } = service.stores;
  const time = new Date();
  const workspace = (await makeWorkspace(service)).id;
  const patch = async (id: string, body: object) => {
    const { status } = await service.ask('PATCH', `${documents(workspace)}/${id}`, { as: 'client', body: { body } });
    expect(status).toBe(200);
  };
  const [once, twice] = [await makeJob(workspace, large('a')), await makeJob(workspace, large('b'))];
  await patch(once, { refNumber: large('c'), status: 'complete' });
  await patch(twice, { status: 'complete' });
  await patch(twice, { refNumber: 'R-2' });

  const longAfter = new Date(Date.now() + 3_600_000); // so that their creation counts as reported
  const events: NewEvent[] = [];
  const commands = await commandsDuring(service, async () => {
    const changes = new DocumentChanges(db, new EventLog(db), expect.fail);
    for await (const event of changes.since(time, longAfter)) events.push(event);
  });
  const about = (id: string) => events.filter(({ document }) => document === id);
  const complete = { activity: 'load', status: 'complete' };
  expect(about(once)).toMatchObject([{ kind: 'changed', references: complete, turns: ['completed'] }]);
  expect(about(twice)).toMatchObject([{ kind: 'changed', references: { ...complete, refNumber: 'R-2' } }]);
  expect(about(twice)[0]).not.toHaveProperty('turns');
  expect(events.map(({ at }) => at.getTime())).toEqual(events.map(({ at }) => at.getTime()).toSorted());
  const longest = Math.max(...commands.map(({ responseLength = 0 }) => responseLength));
  expect([commands.length > 0, longest < 100_000, longest]).toEqual([true, true, longest]);
});
