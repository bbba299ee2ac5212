import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';
import { makeWebhook } from './webhook-fixture.ts';

const service = serviceFixture({ env: { WEBHOOK_MAX_PER_TENANT: '100' } });

const make = () => makeWebhook(service, { url: 'https://a.example/', enabled: true });
const change = (id: string, body: object) => service.ask('PATCH', `/v2/webhooks/${id}`, { as: 'admin', body });
const read = (id: string) => service.ask('GET', `/v2/webhooks/${id}`, { as: 'admin' });
const versionOf = async (id: string) => String((await read(id)).headers.get('etag')).replaceAll('"', '');
const pathsOf = ({ body }: { body: { errors: { path: string }[] } }) => body.errors.map(({ path }) => path);

const CONFLICT = { status: 409, code: 'VERSION_CONFLICT' };
const STALE = '019de29a-f7a0-7000-8000-4996324b547f';

describe('a change of a webhook', () => {
  it.each([
    [{ body: { description: 'x' }, enabled: false }, ['/enabled']],
    [{ body: {}, nonsense: 1 }, ['/nonsense']],
    [{ body: { description: 'x' }, url: 'https://b.example/', a: 1, previous_version_id: null }, ['/url', '/a']],
    [{ description: 'x', nonsense: 1 }, ['/nonsense']],
    [{ description: 'x', body: 'text' }, ['/body']],
    [{ body: { description: 'x', previous_version_id: null } }, ['/body/previous_version_id']],
  ])('is 400 naming members that it cannot use, and changes nothing: %j', async (body, paths) => {
    const { id } = await make();
    const before = await read(id);
    const refused = await change(id, body);
    expect([refused.status, refused.body.code, pathsOf(refused)]).toEqual([400, 'INVALID_INPUT', paths]);
    expect((await read(id)).body).toEqual(before.body);
  });

  it.each([
    [{ url: 'ftp://a.example', signature: 'v1a', enabled: 1 }, ['/url', '/enabled', '/signature']],
    [
      { body: { url: 7, event_types: ['job.created', 'x', 7], nonsense: 1 }, previous_version_id: 'one' },
      ['/previous_version_id', '/body/url', '/body/event_types/1', '/body/event_types/2', '/body/nonsense'],
    ],
    [{ body: { url: 7 }, nonsense: 1, previous_version_id: 7 }, ['/nonsense', '/previous_version_id', '/body/url']],
  ])('is 400 naming everything that is wrong at once: %j', async (body, paths) => {
    const { id } = await make();
    const refused = await change(id, body);
    expect([refused.status, pathsOf(refused)]).toEqual([400, paths]);
  });

  it('is told with what is wrong in its creation, too', async () => {
    const body = { description: 7, workspace: 'x', signature: 'v3' };
    const refused = await service.ask('POST', '/v2/webhooks', { as: 'admin', body: { body, nonsense: 1 } });
    expect(pathsOf(refused)).toEqual([
      '/nonsense',
      '/body/description',
      '/body/workspace',
      '/body/signature',
      '/body/url',
    ]);
  });

  it('is refused with a version that is not current, with the members flat or in body', async () => {
    const { id } = await make();
    expect((await change(id, { description: 'one' })).status).toBe(200);
    const before = await read(id);
    for (const previous_version_id of [STALE, null]) {
      for (const body of [{ description: 'two' }, { body: { description: 'two' } }]) {
        const refused = await change(id, { ...body, previous_version_id });
        expect(refused.body).toMatchObject(CONFLICT);
        expect(refused.body.message).toContain((await versionOf(id)).replace(/\..*/, ''));
      }
    }
    for (const previous_version_id of ['', 'one', 7, `"${await versionOf(id)}"`]) {
      const refused = await change(id, { description: 'two', previous_version_id });
      expect([refused.status, pathsOf(refused)]).toEqual([400, ['/previous_version_id']]);
    }
    expect((await read(id)).body).toEqual(before.body);
  });

  it('accepts the version in the ETag, with or without the delivery progress, and null if nothing was changed', async () => {
    const { id } = await make();
    await service.stores.db
      .collection<{ _id: string }>('webhooks')
      .updateOne({ _id: id }, [
        { $set: { created_at: { $subtract: ['$created_at', 5] }, modified_at: { $subtract: ['$created_at', 5] } } },
      ]);
    const first = await change(id, { description: 'one', previous_version_id: null });
    expect([first.status, first.body.description]).toEqual([200, 'one']);
    const second = await change(id, { body: { description: 'two' }, previous_version_id: await versionOf(id) });
    expect([second.status, second.body.description]).toEqual([200, 'two']);
    const bare = (await versionOf(id)).replace(/\..*/, '');
    const third = await change(id, { description: 'three', previous_version_id: bare });
    expect([third.status, third.body.description]).toEqual([200, 'three']);
    expect((await change(id, { description: 'four', previous_version_id: bare })).body).toMatchObject(CONFLICT);
  });

  it('succeeds once if several are based on the same version', async () => {
    const { id } = await make();
    const previous_version_id = await versionOf(id);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => change(id, { description: `number ${at}`, previous_version_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)]);
  });

  it('is checked in GraphQL as previousVersion', async () => {
    const { id } = await make();
    const mutation = `mutation ($id: UUID!, $previous: String) {
      updateWebhook(id: $id, patch: { description: "new" }, previousVersion: $previous) { versionId }
    }`;
    const stale = await service.graphql(mutation, { id, previous: STALE }, 'admin');
    expect(stale.body.errors[0].extensions.code).toBe('VERSION_CONFLICT');
    const changed = await service.graphql(mutation, { id, previous: await versionOf(id) }, 'admin');
    expect(changed.body.data.updateWebhook.versionId).toBe(await versionOf(id));
  });
});

describe('a creation of a webhook', () => {
  it('is 400 naming members beside its body', async () => {
    const url = 'https://a.example/';
    for (const [beside, path] of [
      [{ enabled: false }, '/enabled'],
      [{ previous_version_id: null }, '/previous_version_id'],
    ] as const) {
      const refused = await service.ask('POST', '/v2/webhooks', { as: 'admin', body: { body: { url }, ...beside } });
      expect([refused.status, pathsOf(refused)]).toEqual([400, [path]]);
    }
  });
});
