import { expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { FeedClient } from './feed-client.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);

const read = async (query: string) => (await service.ask('GET', `/v2/changes?${query}`, { as: 'client' })).body;
const create = async () =>
  (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} })).body.id;

it('after=newest begins with what happens from now on, and not with what was acknowledged before', async () => {
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
  const waiting = read('after=newest&wait=20');
  const stream = await FeedClient.open(service.url, { path: '/v2/changes?after=newest' });
  const job = await create();
  expect((await waiting).changes.map(({ document_id }: { document_id: string }) => document_id)).toEqual([job]);
  expect((await stream.events(1)).map(({ data }) => data.document_id)).toEqual([job]);
  stream.close();
});

it('is there in GraphQL', async () => {
  const { body } = await service.graphql('{ changes(after: "newest") { next changes { id } } }');
  expect(body.data.changes).toEqual({ next: (await read('limit=1000')).next, changes: [] });
});
