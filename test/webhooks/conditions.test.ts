import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';
import { makeWebhook } from './webhook-fixture.ts';

const service = serviceFixture({ env: { WEBHOOK_MAX_PER_TENANT: '100' } });

const ask = (method: string, id: string, headers: Record<string, string> = {}, body?: object) =>
  service.ask(method, `/v2/webhooks/${id}`, { as: 'admin', headers, ...(body && { body }) });
const make = () => makeWebhook(service, { url: 'https://a.example/', enabled: false });
const tagOf = async (id: string): Promise<string> => String((await ask('GET', id)).headers.get('etag'));

describe('the ETag of a webhook', () => {
  it('is in every response with it, and GET honours conditions', async () => {
    const answer = await service.ask('POST', '/v2/webhooks', { as: 'admin', body: { url: 'https://a.example/' } });
    const { id } = answer.body;
    const tag = await tagOf(id);
    expect(tag).toMatch(/^"[^"]+"$/);
    expect(answer.headers.get('etag')).toBe(tag);
    const known = await ask('GET', id, { 'If-None-Match': tag });
    expect([known.status, known.text]).toEqual([304, '']);
    expect((await ask('GET', id, { 'If-Match': '"another"' })).status).toBe(412);
    expect((await ask('GET', id, { 'If-Match': tag })).status).toBe(200);
    const changed = await ask('PATCH', id, {}, { description: 'new' });
    expect(changed.headers.get('etag')).toBe(await tagOf(id));
    expect(changed.headers.get('etag')).not.toBe(tag);
    expect((await ask('GET', id, { 'If-None-Match': tag })).status).toBe(200);
    expect((await ask('DELETE', id)).headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  it('keeps two administrators from overwriting each other', async () => {
    const { id } = await make();
    const tag = await tagOf(id);
    const first = await ask('PATCH', id, { 'If-Match': tag }, { description: 'first' });
    expect([first.status, first.body.description]).toEqual([200, 'first']);
    const second = await ask('PATCH', id, { 'If-Match': tag }, { description: 'second' });
    expect([second.status, second.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await ask('DELETE', id, { 'If-Match': tag })).status).toBe(412);
    expect((await ask('PATCH', id, { 'If-None-Match': '*' }, { description: 'second' })).status).toBe(412);
    expect((await ask('GET', id)).body.description).toBe('first');
    expect((await ask('DELETE', id, { 'If-Match': String(first.headers.get('etag')) })).status).toBe(200);
  });

  it('lets one of many concurrent changes succeed', async () => {
    const { id } = await make();
    const tag = await tagOf(id);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => ask('PATCH', id, { 'If-Match': tag }, { description: `number ${at}` })),
    );
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(answers.filter(({ status }) => status === 412).length).toBe(11);
    expect((await ask('GET', id)).body.description).toBe(won?.body.description);
  });

  it('changes with the place, which conditional changes ignore', async () => {
    const { id } = await make();
    const tag = await tagOf(id);
    await service.stores.db.collection<{ _id: string }>('webhooks').updateOne({ _id: id }, { $inc: { cursor: 7 } });
    expect(await tagOf(id)).not.toBe(tag);
    expect((await ask('GET', id, { 'If-None-Match': tag })).status).toBe(200);
    expect((await ask('PATCH', id, { 'If-Match': tag }, { description: 'new' })).status).toBe(200);
  });

  it('survives a patch that changes nothing, and changes with a new secret', async () => {
    const { id } = await make();
    const tag = await tagOf(id);
    const same = await ask('PATCH', id, { 'If-Match': tag }, { enabled: false, url: 'https://a.example/' });
    expect([same.status, same.headers.get('etag')]).toEqual([200, tag]);
    const rotated = await service.ask('POST', `/v2/webhooks/${id}/rotate`, { as: 'admin' });
    expect(rotated.headers.get('etag')).not.toBe(tag);
    expect((await ask('PATCH', id, { 'If-Match': tag }, { description: 'new' })).status).toBe(412);
  });

  it('is versionId in GraphQL, with expectedVersion for changes', async () => {
    const { id } = await make();
    const change = `mutation ($id: UUID!, $expected: [String!]) {
      updateWebhook(id: $id, patch: { description: "new" }, expectedVersion: $expected) { versionId }
    }`;
    const read = '{ webhooks { id versionId } }';
    const { webhooks } = (await service.graphql(read, {}, 'admin')).body.data;
    const { versionId } = webhooks.find((one: { id: string }) => one.id === id);
    expect(`"${versionId}"`).toBe(await tagOf(id));
    const changed = await service.graphql(change, { id, expected: [versionId] }, 'admin');
    expect(`"${changed.body.data.updateWebhook.versionId}"`).toBe(await tagOf(id));
    const stale = await service.graphql(change, { id, expected: [versionId] }, 'admin');
    expect(stale.body.errors[0].extensions.code).toBe('PRECONDITION_FAILED');
    const removal = `mutation ($id: UUID!, $expected: [String!]) {
      deleteWebhook(id: $id, expectedVersion: $expected) { id }
    }`;
    const kept = await service.graphql(removal, { id, expected: [versionId] }, 'admin');
    expect(kept.body.errors[0].extensions.code).toBe('PRECONDITION_FAILED');
  });
});

describe('secrets', () => {
  it('are all used when rotated concurrently', async () => {
    const { id } = await make();
    const rotations = Array.from({ length: 3 }, () =>
      service.ask('POST', `/v2/webhooks/${id}/rotate`, { as: 'admin' }),
    );
    const shown = (await Promise.all(rotations)).map(({ body }) => body.secret);
    const stored = await service.stores.db
      .collection<{ _id: string; secrets: { shown: string }[] }>('webhooks')
      .findOne({ _id: id });
    expect(stored?.secrets.map((one) => one.shown)).toEqual(expect.arrayContaining(shown));
  });
});
