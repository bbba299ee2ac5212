import { describe, expect, it } from 'vitest';
import { etag, matchTags, noneMatchHit } from '../../../src/http/etag.ts';
import { RawJson } from '../../../src/model/raw-json.ts';
import { entity, fakeService, ID, VERSION } from './fake-service.ts';

const raw = '{"a" : 1.0}';
const resolvers = {
  workspace: () => entity({ body: new RawJson(raw) }),
  document: () => entity({ workspaceId: ID, parentId: ID }),
  createOrganization: () => entity(),
  createWorkspace: () => entity(),
  deleteWorkspace: () => entity(),
  job: () => entity(),
};

describe('views', () => {
  it("v2 returns the envelope in the interface's order, with the raw body copied", async () => {
    await using service = await fakeService(resolvers);
    expect(await (await service.ask('GET', `/v2/workspaces/${ID}`)).text()).toBe(
      `{"id":"${ID}","version_id":"${VERSION}","parent_id":null,"created_by":"${ID}","created_at":"2026-01-31T08:30:00.000Z",` +
        `"modified_by":"${ID}","modified_at":"2026-01-31T08:30:00.000Z","type":"svc.bridge.workspace","body":${raw},"meta":{},"schema":"${ID}"}`,
    );
  });

  it('meta names the workspace if there is one', async () => {
    await using service = await fakeService(resolvers);
    const answer = await service.ask('GET', `/v2/workspaces/${ID}/documents/${ID}`);
    expect(await answer.json()).toMatchObject({ parent_id: ID, meta: { workspace: ID }, body: entity().body });
  });

  it('legacy returns {id, body}, and a job as its bare body', async () => {
    await using service = await fakeService(resolvers);
    expect(await (await service.ask('GET', `/workspaces/${ID}`)).json()).toEqual({ id: ID, body: { a: 1 } });
    expect(await (await service.ask('GET', `/workspaces/${ID}/jobs/${ID}`)).json()).toEqual(entity().body);
  });

  it('creation answers 201 with Location and ETag, also on a path with a trailing slash', async () => {
    await using service = await fakeService(resolvers);
    for (const path of ['/v2/organizations', '/v2/organizations/']) {
      const answer = await service.ask('POST', path, { json: { name: 'A' } });
      expect([answer.status, answer.headers.get('location'), answer.headers.get('etag')]).toEqual([
        201,
        `/v2/organizations/${ID}`,
        `"${VERSION}"`,
      ]);
    }
  });
});

describe('ETags', () => {
  it.each([
    [`"${VERSION}"`, 304],
    [`W/"${VERSION}"`, 304],
    [`"other", "${VERSION}"`, 304],
    ['*', 304],
    ['"other"', 200],
  ])('If-None-Match: %s', async (header, status) => {
    await using service = await fakeService(resolvers);
    for (const method of ['GET', 'HEAD']) {
      const answer = await service.ask(method, `/v2/workspaces/${ID}`, { headers: { 'if-none-match': header } });
      expect([answer.status, answer.headers.get('etag')]).toEqual([status, etag(VERSION)]);
    }
  });

  it('are compared tag by tag', () => {
    expect(noneMatchHit('"a,b", W/"c"', 'a,b')).toBeDefined();
    expect(noneMatchHit('"a,b", W/"c"', 'b')).toBeUndefined();
    expect(matchTags('"a", *')).toEqual(['a', '*']);
  });
});

describe('HEAD', () => {
  it('has the headers of GET, without a body', async () => {
    await using service = await fakeService(resolvers);
    const get = await service.ask('GET', `/workspaces/${ID}`);
    const head = await service.ask('HEAD', `/workspaces/${ID}`);
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'etag'])
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
  });

  it('has the status of an error', async () => {
    await using service = await fakeService({});
    expect((await service.ask('HEAD', '/workspaces/x')).status).toBe(404);
  });
});

describe('compression', () => {
  const large = { workspace: () => entity({ body: { text: 'x'.repeat(5000) } }) };

  it('is used for large answers on request', async () => {
    await using service = await fakeService(large);
    const answer = await service.ask('GET', `/workspaces/${ID}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.json()).toEqual({ id: ID, body: { text: 'x'.repeat(5000) } });
  });

  it('is not used unrequested, nor for small answers', async () => {
    await using service = await fakeService({ ...large, job: () => entity() });
    expect((await service.ask('GET', `/workspaces/${ID}`)).headers.get('content-encoding')).toBeNull();
    const small = await service.ask('GET', `/workspaces/${ID}/jobs/${ID}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(small.headers.get('content-encoding')).toBeNull();
  });
});
