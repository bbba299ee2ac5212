import type { ResumeToken } from 'mongodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EVENTS_LEASE } from '../../../src/store/events/event-log.ts';
import { startProjecting } from '../../../src/store/events/event-projector.ts';
import type { StoredLease } from '../../../src/store/leases/lease.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const HOUR_MS = 3_600_000;

const service = serviceFixture();
let workspace: string;
/** A place that the stream of events does not have. */
let foreign: ResumeToken;
beforeAll(async () => {
  const stream = service.stores.db.collection('workspaces').watch();
  await stream.tryNext(); // it starts here
  workspace = (await makeWorkspace(service)).id;
  foreign = (await stream.next())._id;
  await stream.close();
});

const documents = () => service.stores.db.collection<{ _id: string }>('documents');
const jobs = () => `/workspaces/${workspace}/jobs`;
const make = async (body: object = {}): Promise<string> =>
  (await service.ask('POST', jobs(), { as: 'client', body })).body.id;
const change = async (id: string, body: object) => {
  const answer = await service.ask('PATCH', `${jobs()}/${id}`, { as: 'client', body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
};

/** Records events until there is that of a job that is made meanwhile. */
async function record(): Promise<void> {
  const { db, events } = service.stores;
  const log = { info: () => undefined, warn: () => undefined };
  const end = startProjecting(db, events, { keptMs: HOUR_MS, log });
  const last = await make();
  await expect.poll(() => events.newestOf(last), { timeout: 30_000 }).toBeDefined();
  await end();
}

const loseHistory = (at?: Date) =>
  service.stores.db
    .collection<StoredLease>('leases')
    .updateOne({ _id: EVENTS_LEASE }, { $set: { token: foreign, ...(at && { at }) } });

const newestOf = async (id: string) => {
  const found = await service.stores.events.newestOf(id);
  return found && { kind: found.kind, turns: found.turns, new_readers: found.new_readers };
};

describe('when MongoDB’s log does not reach back to the last event', () => {
  beforeEach(record);

  it('a job is reported as what it has become since, though other changes followed', async () => {
    const posted = await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body: { refNumber: 'u' } });
    const unplaced: string = posted.body.data?.id ?? posted.body.id;
    const known = await make();
    await record();
    const place = 'mutation ($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { id } }';
    expect((await service.graphql(place, { id: unplaced, w: workspace })).body.errors).toBeUndefined();
    const made = await make();
    for (const body of [{ status: 'complete' }, { notes: 'afterwards' }])
      for (const id of [known, made, unplaced]) await change(id, body);
    await loseHistory();
    await record();
    const [, vendor] = (await service.stores.documents.byId(made))?.readers ?? [];
    expect(await newestOf(known)).toEqual({ kind: 'changed', turns: ['completed'] });
    expect(await newestOf(made)).toEqual({ kind: 'created', turns: ['completed'] });
    expect(await newestOf(unplaced)).toEqual({
      kind: 'changed',
      turns: ['completed'],
      new_readers: [vendor],
    });
  });

  it('and no event is kept, the jobs that changed since it was read last are reported', async () => {
    const [old, made] = [await make(), await make()];
    await change(made, { notes: 'changed' });
    const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
    await documents().updateOne({ _id: old }, { $set: { modified_at: ago(3), created_at: ago(3) } });
    await documents().updateOne({ _id: made }, { $set: { modified_at: ago(1), created_at: ago(1) } });
    await service.stores.db.collection('events').deleteMany({});
    await loseHistory(ago(2));
    await record();
    expect([await newestOf(old), await newestOf(made)]).toEqual([undefined, { kind: 'created' }]);
  });
});
