import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-sse';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/auth/credential-cache.ts';
import { EVENTS_LEASE } from '../../../src/store/events/event-log.ts';
import type { StoredLease } from '../../../src/store/leases/lease.ts';
import { DOCUMENT_CHANGED, EventClient, type Following } from '../../events/event-client.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../../service.ts';
import { allRecorded, projectorBegins } from '../../webhooks/webhook-fixture.ts';

const JOB = 'svc.inspection.job';
const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
const clients: EventClient[] = [];

beforeAll(() => projectorBegins(service));
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function listen(options: Following = {}): Promise<EventClient> {
  const client = await EventClient.open(service, { variables: { workspace: workspace.id }, ...options });
  clients.push(client);
  return client;
}
const create = async (): Promise<string> =>
  (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} })).body.id;
/** Creates that many jobs at once, as few as a busy machine stores in time. */
async function createMany(count: number, notes: string): Promise<string[]> {
  const body = { type: JOB, body: Array.from({ length: count }, () => ({ notes })) };
  const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, { as: 'client', body });
  expect(made.status).toBe(201);
  return made.body.map(({ id }: { id: string }) => id);
}
/** The responses to requests until it is stopped. */
function watchResponses() {
  const responses: ServerResponse[] = [];
  const watch = (message: unknown) => void responses.push((message as { response: ServerResponse }).response);
  subscribe('http.server.request.start', watch);
  return {
    stop: (): readonly ServerResponse[] => {
      unsubscribe('http.server.request.start', watch);
      return responses;
    },
  };
}
const documents = ({ messages }: EventClient): string[] =>
  messages.flatMap(({ data }) => data?.data?.documentChanged?.documentId ?? []);

describe('an open stream', () => {
  it('ends within about five seconds of its key being revoked', async () => {
    const client = await listen({ as: 'vendor' });
    await create();
    await client.events(1);
    const principals = service.stores.db.collection('principals');
    const hash = hashSecret(CALLERS.vendor);
    await principals.updateOne({ hash }, { $set: { revoked_at: new Date() } });
    const asked = performance.now();
    await client.until(() => client.ended);
    const took = performance.now() - asked;
    await principals.updateOne({ hash }, { $unset: { revoked_at: 1 } });
    expect(client.messages.at(-1)?.event).toBe('complete');
    expect(took).toBeLessThan(10_000);
  });

  it('counts against its tenant and principal: another tenant with the same id does not', async () => {
    const open = (tenant: string) => {
      const viewer = { id: 'one-subject', tenant, name: 'n', scopes: new Set(['read'] as const) };
      return service.gateway.open(viewer, { request: {} as IncomingMessage, requestId: 'r' }).domain.events;
    };
    const streams = await Promise.all(Array.from({ length: 100 }, () => open('a').follow({})));
    await expect(open('a').follow({})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    streams.push(await open('b').follow({}));
    await Promise.all(streams.map((stream) => stream.return?.()));
    await (await open('a').follow({})).return?.();
  });

  it('shows nothing internal of an error, and is 200, as its protocol requires', async () => {
    const client = await listen({ as: 'stranger' });
    await client.until(() => client.ended);
    expect(client.status).toBe(200);
    expect(client.messages[0]?.data.errors[0].extensions).toEqual({ code: 'FORBIDDEN' });
    const sse = createClient({
      url: `${service.url}/graphql`,
      headers: { Authorization: `Bearer ${CALLERS.stranger}` },
    });
    const results = sse.iterate({ query: DOCUMENT_CHANGED, variables: { workspace: workspace.id } });
    const { value } = await results.next();
    expect(value.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await results.next()).done).toBe(true);
    sse.dispose();
  });

  it('continues when all events have expired', async () => {
    const client = await listen();
    await create();
    await client.events(1);
    await service.stores.db.collection('events').deleteMany({});
    const id = await create();
    const other = await create();
    await client.until(() => documents(client).includes(other));
    expect(documents(client).slice(-2)).toEqual([id, other]);
    const ids = client.messages.map((message) => Number(message.id));
    expect([...new Set(ids)].sort((a, b) => a - b)).toEqual(ids);
  });

  it('has a resume place before its first event, so that a break before it loses nothing', async () => {
    const first = await listen();
    await first.until(() => first.lastId !== '');
    first.close();
    const id = await create();
    const next = await listen({ headers: { 'Last-Event-ID': first.lastId } });
    expect((await next.events(1)).map(({ documentId }) => documentId)).toEqual([id]);
  });

  it('works by GET, and explains how to ask if the answer cannot be a stream', async () => {
    const search = new URLSearchParams({
      query: DOCUMENT_CHANGED,
      variables: JSON.stringify({ workspace: workspace.id }),
    });
    const headers = { Authorization: `Bearer ${CALLERS.client}`, Accept: 'text/event-stream' };
    const stop = new AbortController();
    const answer = await fetch(`${service.url}/graphql?${search}`, { headers, signal: stop.signal });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    stop.abort();
    for (const Accept of ['application/json', 'multipart/mixed, application/json;q=0.9']) {
      const body = { query: DOCUMENT_CHANGED, variables: { workspace: workspace.id } };
      const { text } = await service.ask('POST', '/graphql', { as: 'client', body, headers: { Accept } });
      expect(text).toContain('text/event-stream');
    }
  });

  it('gives a slow client everything, while holding little of it', async () => {
    const responding = watchResponses();
    const sent = request(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${CALLERS.client}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
    }).end(JSON.stringify({ query: DOCUMENT_CHANGED, variables: { workspace: workspace.id } }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.pause();
    const [response] = responding.stop();
    const notes = 'x'.repeat(24_000); // in total, several times what the socket buffers hold
    const made: string[] = [];
    for (let bulk = 0; bulk < 5; bulk++) made.push(...(await createMany(200, notes)));
    await expect.poll(() => response?.writableNeedDrain).toBe(true);
    await sleep(1_500); // by which time all would have been written
    const last = await create();
    expect([response?.writableNeedDrain, (response?.writableLength ?? 0) < 500_000]).toEqual([true, true]);
    const told: string[] = [];
    let text = '';
    answer.on('data', (chunk: Buffer) => {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        if (data) told.push(JSON.parse(data).data.documentChanged.documentId);
      }
    });
    answer.resume();
    await expect.poll(() => told.includes(last), { timeout: 60_000 }).toBe(true);
    expect(told.length).toBe(1_001);
    expect(new Set(told)).toEqual(new Set([...made, last]));
    answer.destroy();
  }, 120_000);

  it('gives a slow client nothing more that was read ahead once its key is revoked', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => `b${i}: body`).join(' ');
    const query = `subscription ($workspace: UUID) { documentChanged(workspace: $workspace) { document { ${bodies} } } }`;
    const responding = watchResponses();
    const sent = request(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${CALLERS.vendor}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
    }).end(JSON.stringify({ query, variables: { workspace: workspace.id } }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.pause();
    const [response] = responding.stop();
    const other = await listen({ as: 'vendor' });
    const notes = 'x'.repeat(100_000);
    await createMany(20, notes);
    await other.events(20);
    await expect.poll(() => response?.writableNeedDrain).toBe(true);
    const principals = service.stores.db.collection('principals');
    const hash = hashSecret(CALLERS.vendor);
    await principals.updateOne({ hash }, { $set: { revoked_at: new Date() } });
    await other.until(() => other.ended);
    await principals.updateOne({ hash }, { $unset: { revoked_at: 1 } });
    const text = Buffer.concat(await answer.toArray()).toString();
    expect(text.match(/"documentChanged"/g)?.length).toBeLessThan(10);
    expect(text).toMatch(/UNAUTHENTICATED[^\n]*\n\nevent: complete\ndata:\n\n$/);
  }, 120_000);

  it('leaves no timer when its client disconnects while behind', async () => {
    const responding = watchResponses();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const sent = Array.from({ length: 10 }, () =>
      request(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${CALLERS.client}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
      }).end(JSON.stringify({ query: DOCUMENT_CHANGED, variables: { workspace: workspace.id } })),
    );
    const answers = (await Promise.all(sent.map((one) => once(one, 'response')))).map(
      ([answer]) => answer as IncomingMessage,
    );
    for (const answer of answers) answer.pause();
    const responses = responding.stop();
    expect(responses.length).toBe(10);
    for (let bulk = 0; bulk < 2; bulk++) await createMany(250, 'x'.repeat(24_000));
    await expect.poll(() => responses.every(({ writableNeedDrain }) => writableNeedDrain)).toBe(true);
    await sleep(500);
    for (const answer of answers) answer.destroy();
    await expect.poll(timers, { timeout: 30_000 }).toBeLessThan(before + 5);
  }, 180_000);
});

describe('event recording', () => {
  it('continues numbering when all events have expired and another process records', async () => {
    await allRecorded(service);
    const client = await listen();
    await create();
    const [{ id: before }] = await client.events(1);
    const leases = service.stores.db.collection<StoredLease>('leases');
    // Events normally expire days after their place was saved; what was not yet saved would be recorded again.
    await expect.poll(async () => (await leases.findOne({ _id: EVENTS_LEASE }))?.last).toBe(Number(before));
    await service.stores.db.collection('events').deleteMany({});
    await leases.updateOne({ _id: EVENTS_LEASE }, { $set: { holder: 'somebody who died', until: new Date(0) } });
    const id = await create();
    await client.until(() => documents(client).includes(id));
    expect(Number(client.messages.at(-1)?.id)).toBeGreaterThan(Number(before));
    expect(documents(client).at(-1)).toBe(id);
    const late = await listen({ headers: { 'Last-Event-ID': before } });
    expect((await late.events(1)).map(({ documentId }) => documentId)).toEqual([id]);
  });

  it('continues when the documents collection was dropped', async () => {
    const { db } = service.stores;
    await db.dropCollection('documents');
    const before = service.logged.filter(({ msg }) => /records events/.test(String(msg))).length;
    await sleep(3_000);
    const after = service.logged.filter(({ msg }) => /records events/.test(String(msg))).length;
    expect(after - before).toBeLessThan(5);
    const client = await listen();
    const id = await create();
    await client.until(() => documents(client).includes(id));
    expect(documents(client)).toEqual([id]);
  });
});
