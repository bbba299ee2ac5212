import { expect, it } from 'vitest';
import { EventClient } from '../events/event-client.ts';
import { FeedClient } from '../events/feed-client.ts';
import { type Caller, makeWorkspace, serviceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { makeWebhook, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({ records: true, delivers: true });

const PLACE = 'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { versionId } }';

it.each([
  ['MongoDB has an image of it', true],
  ['it is only among the versions', false],
])(
  'a placed job is created for the other party, and changed for its own; as for its last version, %s',
  async (_, hasImages) => {
    await projectorBegins(service);
    await using receiver = await Receiver.start();
    const workspace = await makeWorkspace(service);
    await makeWebhook(service, {
      url: receiver.url,
      event_types: ['job.created', 'job.changed'],
      workspace: workspace.id,
    });
    const following = await EventClient.open(service, { as: 'client', variables: { workspace: workspace.id } });
    const changeStreamPreAndPostImages = { enabled: hasImages };
    await service.stores.db.command({ collMod: 'documents', changeStreamPreAndPostImages });

    const body = { refNumber: 'placed', client: { name: 'Nobody' }, vendor: { name: workspace.names.vendor } };
    const { id } = (await service.ask('POST', '/bridge/v1/data/jobs', { as: 'vendor', body })).body;
    const placed = await service.graphql(PLACE, { id, w: workspace.id }, 'vendor');
    const { versionId } = placed.body.data.placeJob;
    await service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'vendor', body: { notes: 'later' } });

    const messages = await receiver.messages(2);
    expect(messages.map(({ body: { type, data } }) => [type, data.kind, data.document_id])).toEqual([
      ['job.created', 'CREATED', id],
      ['job.changed', 'CHANGED', id],
    ]);
    expect(messages[0]?.body.data.version_id).toBe(versionId);
    expect((await following.events(2)).map(({ kind }) => kind)).toEqual(['CREATED', 'CHANGED']);
    following.close();
    const path = `/v2/workspaces/${workspace.id}/changes`;
    const kindsFor = async (as: Caller) =>
      (await service.ask('GET', path, { as })).body.changes.map(({ kind }: { kind: string }) => kind);
    expect([await kindsFor('client'), await kindsFor('vendor')]).toEqual([
      ['CREATED', 'CHANGED'],
      ['CHANGED', 'CHANGED'],
    ]);
    const streamed = await FeedClient.open(service.url, { path });
    expect((await streamed.events(2)).map(({ data }) => data?.kind)).toEqual(['CREATED', 'CHANGED']);
    streamed.close();
  },
);

it('a complete job that is placed is created and completed for the other party, once', async () => {
  await projectorBegins(service);
  await using receiver = await Receiver.start();
  await using completions = await Receiver.start();
  const workspace = await makeWorkspace(service);
  await makeWebhook(service, { url: receiver.url, workspace: workspace.id });
  await makeWebhook(service, { url: completions.url, workspace: workspace.id, event_types: ['job.completed'] });
  const place = async (status: string): Promise<string> => {
    const body = { status, client: { name: 'Nobody' }, vendor: { name: workspace.names.vendor } };
    const { id } = (await service.ask('POST', '/bridge/v1/data/jobs', { as: 'vendor', body })).body;
    const placed = await service.graphql(PLACE, { id, w: workspace.id }, 'vendor');
    expect(placed.body.errors).toBeUndefined();
    return id;
  };
  const complete = await place('Complete');
  await service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${complete}`, {
    as: 'vendor',
    body: { notes: 'later' },
  });
  await place('active');

  const types = (await receiver.messages(4)).map(({ body }) => [body.type, body.data.kind, body.data.document_id]);
  expect(types.filter(([, , id]) => id === complete)).toEqual([
    ['job.created', 'CREATED', complete],
    ['job.completed', 'CREATED', complete],
    ['job.changed', 'CHANGED', complete],
  ]);
  expect(types.length).toBe(4);
  expect((await completions.messages(1)).map(({ body }) => body.data.document_id)).toEqual([complete]);
});
