import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, formOf, sendForm } from '../rest-compat/form.ts';
import { type Answer, CALLERS, type Caller, makeWorkspace, serviceFixture, startTestService } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';
import { FeedClient } from './feed-client.ts';

const JOB = 'svc.inspection.job';
const service = serviceFixture({ records: true });
let workspace: { id: string };
const clients: FeedClient[] = [];

interface Change {
  readonly id: string;
  readonly kind: string;
  readonly type: string;
  readonly document_id: string;
  readonly version_id: string | null;
  readonly parent_id?: string;
}

beforeAll(async () => {
  workspace = await makeWorkspace(service);
  await projectorBegins(service);
});
afterAll(() => {
  for (const client of clients) client.close();
});

const read = (query = '', as: Caller = 'client', path = '/v2/changes'): Promise<Answer> =>
  service.ask('GET', `${path}${query}`, { as });
const newest = async (): Promise<string> => {
  for (let after = ''; ; ) {
    const { body } = await read(`?limit=1000${after}`);
    if (body.changes.length < 1000) return body.next;
    after = `&after=${body.next}`;
  }
};
const here = () => `/v2/workspaces/${workspace.id}`;

async function makeJob(refNumber: string, place = workspace.id): Promise<string> {
  const body = { type: JOB, body: { refNumber } };
  return (await service.ask('POST', `/v2/workspaces/${place}/documents`, { as: 'client', body })).body.id;
}

/** The next changes after a cursor, once there are that many. */
async function awaited(count: number, after: string, more = ''): Promise<Change[]> {
  const found: Change[] = [];
  for (let place = after; found.length < count; ) {
    const { body } = await read(`?after=${place}&wait=30${more}`);
    if (body.changes.length === 0) break;
    found.push(...body.changes);
    place = body.next;
  }
  return found;
}

async function stream(options: { path?: string; as?: Caller; headers?: Record<string, string> } = {}) {
  const client = await FeedClient.open(service.url, options);
  clients.push(client);
  return client;
}

describe('GET /v2/changes', () => {
  it('lists a creation, a change and a deletion, with the ids of documentChanged', async () => {
    const after = await newest();
    const id = await makeJob('CF-1');
    const created = (await service.ask('GET', `${here()}/documents/${id}`, { as: 'client' })).body;
    await service.ask('PATCH', `${here()}/documents/${id}`, { as: 'vendor', body: { body: { notes: 'x' } } });
    await awaited(2, after);
    await service.ask('DELETE', `${here()}/documents/${id}`, { as: 'client' });
    const changes = await awaited(3, after);
    expect(changes.map(({ kind }) => kind)).toEqual(['CREATED', 'CHANGED', 'DELETED']);
    expect(changes[0]).toEqual({
      id: String(Number(after) + 1),
      kind: 'CREATED',
      type: JOB,
      workspace: workspace.id,
      document_id: id,
      version_id: created.version_id,
      at: created.created_at,
      by: created.created_by,
    });
    const { body } = await read(`?after=${after}`, 'vendor');
    expect(body).toEqual({ changes, next: changes.at(-1)?.id });
  });

  it('pages by limit and next, which is present even on an empty page', async () => {
    const after = await newest();
    for (const name of ['a', 'b', 'c']) await makeJob(name);
    const all = await awaited(3, after);
    const first = (await read(`?after=${after}&limit=2`)).body;
    expect(first).toEqual({ changes: all.slice(0, 2), next: all[1]?.id });
    const second = (await read(`?after=${first.next}&limit=2`)).body;
    expect(second).toEqual({ changes: all.slice(2), next: all[2]?.id });
    expect((await read(`?after=${second.next}`)).body).toEqual({ changes: [], next: second.next });
  });

  it.each(['', 'null'])('treats limit=%s as absent', async (limit) => {
    for (const path of ['/v2/changes', `${here()}/changes`]) {
      const asked = (query: string) => service.ask('GET', `${path}${query}`, { as: 'client' });
      expect((await asked(`?limit=${limit}`)).body).toEqual((await asked('?limit=100')).body);
    }
  });

  it('without after, starts at the oldest event kept, 100 at a time', async () => {
    const after = await newest();
    await Promise.all(Array.from({ length: 101 }, (_, index) => makeJob(`many-${index}`)));
    await awaited(101, after);
    const { body } = await read('?wait=1');
    expect(body.changes.length).toBe(100);
    expect(body.changes[0].id).toBe('1');
    expect(body.next).toBe('100');
  });

  it('filters by types, aliases included', async () => {
    const after = await newest();
    const job = await makeJob('CF-2');
    const body = { type: 'svc.inspection.timelog', body: { parent: job, category: 'event' } };
    const log = (await service.ask('POST', `${here()}/documents`, { as: 'vendor', body })).body.id;
    await awaited(2, after);
    const ids = async (types: string) =>
      (await read(`?after=${after}&types=${types}`)).body.changes.map((change: Change) => change.document_id);
    expect(await ids('svc.nim.job')).toEqual([job]);
    expect(await ids('svc.inspection.timelog')).toEqual([log]);
    expect(await ids(`svc.inspection.timelog,${JOB}`)).toEqual([job, log]);
    expect(await ids(`svc.inspection.timelog&types=attachment,${JOB}`)).toEqual([job, log]);
  });

  it('includes attachments, under their own id and with their parent, until deleted with their document', async () => {
    const after = await newest();
    const job = await makeJob('CF-3');
    const path = `${here()}/documents/${job}/attachments`;
    const { id } = (await sendForm(service, path, formOf(filePart('contents')), { as: 'vendor' })).body;
    await awaited(2, after);
    await service.ask('DELETE', `${here()}/documents/${job}`, { as: 'client' });
    const changes = (await awaited(4, after)).filter(({ type }) => type === 'attachment');
    expect(changes).toMatchObject([
      { kind: 'CREATED', document_id: id, parent_id: job },
      { kind: 'DELETED', document_id: id, parent_id: job },
    ]);
    expect((await awaited(2, after, '&types=attachment')).length).toBe(2);
  });

  it('waits for a change, and no longer than requested', async () => {
    const after = await newest();
    const started = performance.now();
    const waiting = read(`?after=${after}&wait=20`);
    const id = await makeJob('CF-4');
    expect((await waiting).body.changes).toMatchObject([{ document_id: id }]);
    expect(performance.now() - started).toBeLessThan(10_000);
    const next = await newest();
    const idle = performance.now();
    expect((await read(`?after=${next}&wait=1`)).body).toEqual({ changes: [], next });
    expect(performance.now() - idle).toBeGreaterThan(900);
  });

  it.each([
    ['after=999999999', 'after'],
    ['after=x', 'after'],
    ['after=-1', 'after'],
    ['types=svc.nothing', 'types'],
    ['types=svc.inspection.job,', 'types'],
    ['types=svc.inspection.job&types=', 'types'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['wait=', 'wait'],
    ['wait=61', 'wait'],
    ['wait=-1', 'wait'],
    ['wait=1.5', 'wait'],
    ['after=1&after=2', 'after'],
    ['before=1', 'before'],
  ])('refuses %s', async (query, parameter) => {
    const { status, body } = await read(`?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'INVALID_INPUT', errors: [{ parameter }] });
  });

  it('returns 406 to clients that accept neither JSON nor events', async () => {
    expect((await service.ask('GET', '/v2/changes', { as: 'client', headers: { Accept: 'text/csv' } })).status).toBe(
      406,
    );
  });

  it('has what is created right after the first start on a database', async () => {
    await using own = await startTestService({ records: true });
    const { id } = await makeWorkspace(own);
    const body = { type: JOB, body: {} };
    const made = await own.ask('POST', `/v2/workspaces/${id}/documents`, { as: 'client', body });
    const { changes } = (await own.ask('GET', '/v2/changes?wait=20', { as: 'client' })).body;
    expect(changes).toMatchObject([{ kind: 'CREATED', document_id: made.body.id }]);
  });

  it('returns 410 when history is gone, and says where to restart', async () => {
    await using own = await startTestService({ records: true });
    const { id } = await makeWorkspace(own);
    const body = { type: JOB, body: {} };
    const ask = (query: string) => own.ask('GET', `/v2/changes${query}`, { as: 'client' });
    for (let next = '0'; Number(next) < 4; next = (await ask('?wait=1')).body.next)
      await own.ask('POST', `/v2/workspaces/${id}/documents`, { as: 'client', body });
    const { next } = (await ask('?limit=1000')).body;
    await own.stores.db.collection('events').deleteMany({ sequence: { $lte: 2 } });
    const lost = await ask('?after=1');
    expect(lost.status).toBe(410);
    expect(lost.body.code).toBe('HISTORY_LOST');
    expect(lost.body.detail).toContain(`after=${next}`);
    expect((await ask('?after=2')).status).toBe(200);
    expect((await ask('')).body.changes[0].id).toBe('3');
    const streamed = await FeedClient.open(own.url, { headers: { 'Last-Event-ID': '1' } });
    expect(streamed.status).toBe(410);
  });
});

describe('tenancy', () => {
  it("shows a stranger nothing, and refuses another tenant's workspace", async () => {
    const { body } = await read('?limit=1000', 'stranger');
    expect(body.changes).toEqual([]);
    expect((await read('', 'stranger', `${here()}/changes`)).status).toBe(403);
    const unknown = '/v2/workspaces/0190a000-0000-7000-8000-000000000000/changes';
    expect((await read('', 'client', unknown)).status).toBe(404);
    expect((await service.ask('GET', '/v2/changes')).status).toBe(401);
  });

  it('omits a declined workspace, unless that one is requested', async () => {
    const other = await makeWorkspace(service, 'Not mine');
    await service.graphql('mutation ($id: UUID!) { declineWorkspace(id: $id) { id } }', { id: other.id }, 'vendor');
    const after = await newest();
    const job = await makeJob('CF-5', other.id);
    await awaited(1, after);
    expect((await read(`?after=${after}`, 'vendor')).body.changes).toEqual([]);
    const there = await read(`?after=${after}`, 'vendor', `/v2/workspaces/${other.id}/changes`);
    expect(there.body.changes).toMatchObject([{ document_id: job }]);
    expect((await read(`?after=${after}`, 'vendor', `${here()}/changes`)).body.changes).toEqual([]);
  });
});

describe('Accept: text/event-stream', () => {
  it('sends each change with its id, and resumes after Last-Event-ID', async () => {
    const after = await newest();
    const client = await stream({ path: `/v2/changes?after=${after}` });
    expect(client.headers?.get('content-type')).toMatch(/^text\/event-stream/);
    const ids = [await makeJob('SSE-1'), await makeJob('SSE-2'), await makeJob('SSE-3')];
    const events = await client.events(3);
    expect(events.map(({ data }) => data.document_id).sort()).toEqual([...ids].sort());
    expect(events.map(({ id }) => id)).toEqual(events.map(({ data }) => data.id));
    const again = await stream({ path: '/v2/changes?after=0', headers: { 'Last-Event-ID': events[0]?.id ?? '' } });
    expect((await again.events(2)).map(({ data }) => data)).toEqual(events.slice(1).map(({ data }) => data));
    expect((await read(`?after=${after}`)).body.changes).toEqual(events.map(({ data }) => data));
  });

  it('refuses before the stream begins: a bad cursor, a foreign workspace, no credential', async () => {
    expect((await stream({ headers: { 'Last-Event-ID': 'x' } })).status).toBe(400);
    expect((await stream({ path: `${here()}/changes`, as: 'stranger' })).status).toBe(403);
    expect((await stream({ headers: { Authorization: '' } })).status).toBe(401);
  });

  it('ends at once in an orderly shutdown, like a long poll', async () => {
    const own = await startTestService({ database: service.stores.db.databaseName, records: true });
    const place = await newest();
    const waiting = own.ask('GET', `/v2/changes?after=${place}&wait=60`, { as: 'client' });
    // The poll is waiting by the time the stream, which waits for nothing, has its headers.
    const client = await FeedClient.open(own.url, { path: `/v2/changes?after=${place}` });
    await client.until(() => client.opened);
    own.stores.eventTail.close();
    expect((await waiting).body).toEqual({ changes: [], next: place });
    await client.until(() => client.ended);
    expect(client.ended).toBe(true);
    await own.stop();
  });

  it('counts long polls and streams together: one more than 100 gets 429', async () => {
    let after = await newest();
    const hangUp = new AbortController();
    const held = async (): Promise<void> => {
      while (!hangUp.signal.aborted) {
        const headers = { Authorization: `Bearer ${CALLERS.reader}` };
        const url = `${service.url}/v2/changes?after=${after}&wait=30`;
        const answer = await fetch(url, { headers, signal: hangUp.signal })
          .then((response) => (response.status === 200 ? response.json() : undefined))
          .catch(() => undefined);
        if (answer)
          after = answer.next; // an event of an earlier test arrived
        else await setTimeout(200); // an earlier client is still counted
      }
    };
    const polls = Array.from({ length: 100 }, held);
    let refused = 200;
    for (const end = performance.now() + 40_000; performance.now() < end && refused !== 429; await setTimeout(500))
      refused = (await read(`?after=${after}&wait=1`, 'reader')).status;
    expect(refused).toBe(429);
    // None of them holds a pooled connection.
    await expect.poll(() => service.stores.connections.used).toBeLessThan(10);
    hangUp.abort(); // hanging up frees the place at once
    await Promise.all(polls);
    for (const end = performance.now() + 30_000; performance.now() < end && refused !== 200; )
      refused = (await read(`?after=${after}&wait=1`, 'reader')).status;
    expect(refused).toBe(200);
  });
});
