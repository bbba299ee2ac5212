import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { EVENTS_LEASE } from '../../src/store/events/event-log.ts';
import { startProjecting } from '../../src/store/events/event-projector.ts';
import { Lease, type StoredLease } from '../../src/store/leases/lease.ts';
import { makeWorkspace, serviceFixture, startTestService, type TestService } from '../service.ts';
import { allRecorded, projectorBegins } from '../webhooks/webhook-fixture.ts';
import { EventClient } from './event-client.ts';

const JOB = 'svc.inspection.job';
const service = serviceFixture({ records: true });
let other: TestService;
let workspace: { id: string };
const clients: EventClient[] = [];

beforeAll(async () => {
  other = await startTestService({ records: true, database: service.stores.db.databaseName });
  workspace = await makeWorkspace(service);
  await projectorBegins(service);
});
afterAll(async () => {
  for (const client of clients) client.close();
  await other.stop();
});

async function follow(options: Parameters<typeof EventClient.open>[1] = {}, from = service): Promise<EventClient> {
  const client = await EventClient.open(from, options);
  clients.push(client);
  return client;
}

async function makeJob(refNumber: string, place = workspace.id): Promise<string> {
  const { status, body } = await service.ask('POST', `/workspaces/${place}/jobs`, {
    as: 'client',
    body: { refNumber },
  });
  expect(status).toBe(201);
  return body.id;
}

const jobPath = (id: string) => `/workspaces/${workspace.id}/jobs/${id}`;
const idsOf = (events: { documentId: string }[]) => events.map(({ documentId }) => documentId);

describe('documentChanged', () => {
  it('reports a creation, a change and a deletion in order, with ascending ids', async () => {
    const client = await follow({ as: 'vendor' });
    const id = await makeJob('EV-1');
    const created = await service.ask('GET', `/v2/workspaces/${workspace.id}/documents/${id}`, { as: 'client' });
    await service.ask('PATCH', jobPath(id), { as: 'vendor', body: { refNumber: 'EV-2' } });
    const [, { versionId: last }] = await client.events(2);
    await service.ask('DELETE', jobPath(id), { as: 'client' });
    const events = await client.events(3);
    expect(events).toMatchObject([
      { kind: 'CREATED', documentId: id, versionId: created.body.version_id, by: created.body.created_by, type: JOB },
      { kind: 'CHANGED', documentId: id, workspaceId: workspace.id, document: { body: { refNumber: 'EV-2' } } },
      {
        kind: 'DELETED',
        documentId: id,
        workspaceId: workspace.id,
        versionId: last,
        by: created.body.created_by,
        document: null,
      },
    ]);
    const ids = client.messages.map((message) => Number(message.id));
    expect(ids).toEqual(events.map((event: { id: string }) => Number(event.id)));
    expect([...ids].sort((a, b) => a - b)).toEqual(ids);
  });

  it("reports nothing to a stranger, and refuses another tenant's workspace", async () => {
    const stranger = await follow({ as: 'stranger' });
    const own = await follow({ as: 'client' });
    const id = await makeJob('secret');
    expect(idsOf(await own.events(1))).toContain(id);
    expect(stranger.messages).toEqual([]);
    const refused = await follow({ as: 'stranger', variables: { workspace: workspace.id } });
    await refused.until(() => refused.ended);
    expect(refused.messages[0]?.data.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('can follow a single workspace and some types', async () => {
    const elsewhere = await makeWorkspace(service, 'Elsewhere');
    const here = await follow({ variables: { workspace: workspace.id, types: ['svc.inspection.timelog'] } });
    const all = await follow();
    const job = await makeJob('EV-3');
    await makeJob('EV-4', elsewhere.id);
    const timelog = await service.ask('POST', `${jobPath(job)}/timelog`, { as: 'vendor', body: { notes: 'x' } });
    await all.events(3);
    expect(idsOf(await here.events(1))).toEqual([timelog.body.id]);
  });

  it('is refused without a credential, and for unknown types and invalid cursors', async () => {
    const answerOf = async (options: Parameters<typeof EventClient.open>[1]) => {
      const client = await follow(options);
      await client.until(() => client.ended);
      return client.messages[0]?.data?.errors?.[0]?.extensions ?? { code: client.status };
    };
    const codeOf = async (options: Parameters<typeof EventClient.open>[1]) => (await answerOf(options)).code;
    expect(await codeOf({ key: 'no-such-key' })).toBe(401);
    const headers = { Accept: 'text/event-stream' };
    const body = { query: 'subscription { documentChanged { id } }' };
    const ofNobody = await service.ask('POST', '/graphql', { body, headers });
    expect([ofNobody.status, ofNobody.text]).toEqual([401, expect.stringContaining('{"code":"UNAUTHENTICATED"}')]);
    const ofNoType = await answerOf({ variables: { types: ['attachment'] } });
    expect(ofNoType).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [
        { parameter: 'types', message: expect.stringMatching(/^"attachment" .* svc.inspection.job, .* finding\.$/) },
      ],
    });
    expect(await codeOf({ variables: { after: 'yesterday' } })).toBe('INVALID_INPUT');
    expect(await codeOf({ variables: { after: '999999999' } })).toBe('INVALID_INPUT');
    expect(await codeOf({ variables: { workspace: newId() } })).toBe('NOT_FOUND');
  });

  it('is refused after an event whose successors are no longer kept, and says where to resume', async () => {
    await makeJob('EV-5');
    await makeJob('EV-6');
    await makeJob('EV-7');
    await allRecorded(service);
    const events = service.stores.db.collection<{ sequence: number }>('events');
    const [{ sequence: newest } = { sequence: 0 }] = await events.find().sort({ sequence: -1 }).limit(1).toArray();
    const old = await events.find({ sequence: { $lt: newest } }).toArray();
    await events.deleteMany({ sequence: { $lt: newest } });
    const client = await follow({ variables: { after: '1' } });
    await client.until(() => client.ended);
    const [error] = client.messages[0]?.data?.errors ?? [];
    expect(error?.extensions?.code).toBe('HISTORY_LOST');
    expect(error?.message).toMatch(new RegExp(`after=${newest}, the newest event\\.$`));
    await events.insertMany(old);
  });

  it('resumes at another gateway after a break, with nothing lost or repeated', async () => {
    const first = await follow({ variables: { workspace: workspace.id } });
    const before = [await makeJob('R-1'), await makeJob('R-2')];
    await first.events(2);
    const seen = first.messages.at(0)?.id ?? '';
    first.close();
    const missed = [await makeJob('R-3'), await makeJob('R-4')];
    const headers = { 'Last-Event-ID': seen };
    const second = await follow({ variables: { workspace: workspace.id }, headers }, other);
    const after = [await makeJob('R-5')];
    const third = await follow({ variables: { workspace: workspace.id, after: seen } }, other);
    const expected = [before[1], ...missed, ...after];
    expect(idsOf(await second.events(4))).toEqual(expected);
    expect(idsOf(await third.events(4))).toEqual(expected);
  });

  it('reports each of 1,000 quick changes once, in one order to all', async () => {
    const [one, two] = [await follow(), await follow({ as: 'vendor' }, other)];
    const body = Array.from({ length: 500 }, (_, i) => ({ refNumber: `B-${i}` }));
    const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
    const made = await Promise.all(
      [0, 1].map(() => service.ask('POST', path, { as: 'client', body: { type: JOB, body } })),
    );
    const ids = made.flatMap((answer) => idsOf(answer.body.map(({ id }: { id: string }) => ({ documentId: id }))));
    const told = idsOf(await one.events(1_000, 100_000));
    expect(told).toHaveLength(1_000);
    expect(new Set(told)).toEqual(new Set(ids));
    expect(idsOf(await two.events(1_000, 100_000))).toEqual(told);
  }, 240_000);

  it('ends when its key is revoked, with the reason', async () => {
    const key = `key-${newId()}`;
    const known = await service.stores.principals.findKey(hashSecret('demo-client-key'));
    const principals = service.stores.db.collection('principals');
    await principals.insertOne({ ...known, _id: newId(), hash: hashSecret(key), demo: true } as never);
    const client = await follow({ key });
    expect(client.ended).toBe(false);
    await principals.updateOne({ hash: hashSecret(key) } as never, { $set: { revoked_at: new Date() } });
    await client.until(() => client.ended);
    expect(client.messages.map(({ event, data }) => data?.errors?.[0].extensions ?? event)).toEqual([
      { code: 'UNAUTHENTICATED' },
      'complete',
    ]);
  });

  it('counts the streams of a principal, and releases those that hung up', async () => {
    const open = await Promise.all(Array.from({ length: 100 }, () => follow({ as: 'reader' })));
    const tooMany = await follow({ as: 'reader' });
    await tooMany.until(() => tooMany.ended);
    expect(tooMany.messages[0]?.data.errors[0].extensions.code).toBe('RATE_LIMITED');
    for (const client of open) client.close();
    let again = tooMany;
    const isOpen = async () => {
      again = await follow({ as: 'reader' });
      await again.until(() => again.opened);
      return again.messages.length === 0;
    };
    await expect.poll(isOpen).toBe(true);
    const id = await makeJob('after all');
    expect(idsOf(await again.events(1))).toEqual([id]);
  });
});

describe('the recording of events', () => {
  it('is taken over by another gateway when the recording one stops', async () => {
    await using third = await startTestService({ records: true, database: service.stores.db.databaseName });
    const client = await follow({}, third);
    await service.stores.db
      .collection<StoredLease>('leases')
      .updateOne({ _id: EVENTS_LEASE }, { $set: { holder: 'somebody who died', until: new Date(Date.now() + 2_000) } });
    const id = await makeJob('taken over');
    expect(idsOf(await client.events(1))).toEqual([id]);
  });

  it('reads the changed documents when MongoDB’s log no longer has its resume point', async () => {
    const { db } = service.stores;
    const foreign = db.collection('workspaces').watch();
    await foreign.tryNext(); // it starts here
    await makeWorkspace(service, 'For its place in the log');
    const { _id: token } = await foreign.next();
    await foreign.close();
    const client = await follow();
    await db
      .collection<StoredLease>('leases')
      .updateOne({ _id: EVENTS_LEASE }, { $set: { holder: 'nobody', until: new Date(Date.now() + 1_500), token } });
    const id = await makeJob('while nobody looked');
    expect(idsOf(await client.events(1))).toEqual([id]);
    const after = await makeJob('and after');
    expect(idsOf(await client.events(2))).toEqual([id, after]);
    expect([...service.logged, ...other.logged].some(({ msg }) => /does not reach back/.test(String(msg)))).toBe(true);
  });

  it('stops on request at any time, even while starting', async () => {
    const { db, events } = service.stores;
    const log = { info: () => undefined, warn: () => undefined };
    await db.collection<StoredLease>('leases').updateOne({ _id: EVENTS_LEASE }, { $set: { until: new Date(0) } });
    for (let ms = 0; ms < 60; ms += 4) {
      const end = startProjecting(db, events, { keptMs: 60_000, log });
      await sleep(ms);
      await end();
    }
  });

  it('belongs to one process at a time', async () => {
    const { db } = service.stores;
    const [a, b] = [new Lease(db, 'test'), new Lease(db, 'test')];
    const taken = await Promise.all([a.take(), b.take()]);
    expect(taken.filter((progress) => progress !== undefined)).toHaveLength(1);
    const [holder, waiting] = taken[0] ? [a, b] : [b, a];
    expect(await holder.take()).toBeDefined();
    expect(await waiting.take()).toBeUndefined();
    expect([await holder.keep({}), await waiting.keep({ token: 'x' })]).toEqual([true, false]);
    await holder.release();
    expect(await waiting.take()).toBeDefined();
    expect(await holder.keep({ token: 'late' })).toBe(false);
  });
});

describe('subscriptions', () => {
  it('break off without `complete` when the service stops, so that clients reconnect, and are refused from then on', async () => {
    await using stopping = await startTestService({ database: service.stores.db.databaseName });
    const client = await follow({}, stopping);
    stopping.stores.eventTail.close();
    await client.until(() => client.ended);
    expect([client.ended, client.messages]).toEqual([true, []]);
    const late = await follow({}, stopping);
    await late.until(() => late.ended);
    expect(late.messages[0]?.data.errors[0].extensions.code).toBe('UNAVAILABLE');
  });
});
