import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { FeedClient } from './feed-client.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);

const read = async (query: string) => (await service.ask('GET', `/v2/changes?${query}`, { as: 'client' })).body;
const create = async () =>
  (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} })).body.id;

it('after=newest starts with what happens from now on, not with what was acknowledged before', async () => {
  for (let round = 0; round < 10; round++) {
    await create();
    const { changes, next } = await read('after=newest');
    expect(changes).toEqual([]);
    const job = await create();
    const after = await read(`after=${next}`);
    expect(after.changes.map(({ document_id }: { document_id: string }) => document_id)).toEqual([job]);
  }
});

it('waits for the first change, and streams from there', async () => {
  const jobs = [await create()];
  const stream = await FeedClient.open(service.url, { path: '/v2/changes?after=newest' });
  let isThere = false;
  const both = Promise.all([read('after=newest&wait=60'), stream.events(1)]).finally(() => {
    isThere = true;
  });
  while (!isThere) {
    jobs.push(await create());
    await sleep(200);
  }
  const [{ changes }, [streamed]] = await both;
  const [before, ...later] = jobs;
  for (const id of [changes[0].document_id, streamed?.data.document_id]) {
    expect(later).toContain(id);
    expect(id).not.toBe(before);
  }
  stream.close();
});

it('is available in GraphQL', async () => {
  const { body } = await service.graphql('{ changes(after: "newest") { next changes { id } } }');
  expect(body.data.changes).toEqual({ next: (await read('limit=1000')).next, changes: [] });
});

it('has one spelling as the id of the newest event, even with other readers waiting', async () => {
  await create();
  const { next } = await read('after=newest');
  const waiting = await FeedClient.open(service.url, { path: `/v2/changes?after=${next}` });
  expect((await read(`after=${next}&wait=1`)).next).toBe(next);
  await expect.poll(() => service.stores.eventTail.isNewest(Number(next)), { timeout: 20_000 }).toBe(true);
  for (const after of [
    `${next}e0`,
    `${next}.0`,
    `%2B${next}`,
    `%20${next}`,
    `0x${Number(next).toString(16)}`,
    `0${next}`,
    '00',
  ]) {
    const { code, errors } = await read(`after=${after}&wait=1`);
    expect([after, code, errors]).toEqual([
      after,
      'INVALID_INPUT',
      [
        {
          parameter: 'after',
          message: 'is not the id of an event, which is a whole number of at most 15 digits without leading zeros.',
        },
      ],
    ]);
  }
  waiting.close();
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': `0${next}` };
  expect((await service.ask('GET', '/v2/changes', { as: 'client', headers })).status).toBe(400);
  const { body } = await service.graphql(`{ changes(after: "0${next}") { next } }`);
  expect(body.errors[0].extensions.errors[0].message).toContain('without leading zeros');
  expect((await read('after=0&limit=1')).changes).toHaveLength(1);
});
