import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { notFound } from '../../../src/errors.ts';
import { entity, fakeService, ID, type Resolvers } from './fake-service.ts';

const resolvers: Resolvers = {
  workspace: ({ id }) => {
    if (id === ID) return entity();
    throw notFound('workspace', String(id));
  },
  workspaces: () => ({ nodes: [], pageInfo: { hasNextPage: false } }),
  createWorkspace: ({ body }) => entity({ body }),
  updateWorkspace: ({ patch }) => entity({ body: patch }),
};

/** Everything wrong at once; each case fixes one thing and meets the next check. */
const bad = { key: '', body: '{', headers: { 'content-type': 'text/plain', accept: 'image/png' } };

describe('the order of checks (contract §11)', async () => {
  const code = async (method: string, path: string, init: object) => {
    await using service = await fakeService(resolvers);
    const answer = await service.ask(method, path, init);
    return [answer.status, ((await answer.json()) as { code: string }).code];
  };

  it('passes unknown paths on', async () => {
    await using service = await fakeService(resolvers);
    const answer = await service.ask('POST', '/v2/nothing/here', bad);
    expect([answer.status, answer.headers.get('x-from')]).toEqual([404, 'next']);
  });

  it('refuses a method before requiring a credential, and lists those available', async () => {
    await using service = await fakeService(resolvers);
    const answer = await service.ask('PUT', '/v2/workspaces?x=1', bad);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
  });

  it('answers OPTIONS with Allow and without a credential', async () => {
    await using service = await fakeService(resolvers);
    const answer = await service.ask('OPTIONS', `/v2/workspaces/${ID}`, { key: '' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, PATCH, DELETE, OPTIONS']);
  });

  it('requires a credential before it checks the rest', async () => {
    await using service = await fakeService(resolvers);
    const answer = await service.ask('POST', '/v2/workspaces?x=1', bad);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  it.each([
    ['scope', { ...bad, key: 'reader' }, '?x=1', [403, 'FORBIDDEN']],
    ['query', { ...bad, key: 'writer' }, '?x=1', [400, 'INVALID_INPUT']],
    ['Accept', { ...bad, key: 'writer' }, '', [406, 'NOT_ACCEPTABLE']],
    [
      'media type',
      { ...bad, key: 'writer', headers: { 'content-type': 'text/plain' } },
      '',
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    [
      'compressed body',
      { ...bad, key: 'writer', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      '',
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    ['body', { ...bad, key: 'writer', headers: { 'content-type': 'application/json' } }, '', [400, 'INVALID_INPUT']],
  ])('then checks: %s', async (_, init, query, expected) => {
    expect(await code('POST', `/v2/workspaces${query}`, init)).toEqual(expected);
  });

  it('checks the body before the entity', async () => {
    expect(await code('PATCH', '/v2/workspaces/no-uuid', { json: {} })).toEqual([400, 'INVALID_INPUT']);
    expect(await code('PATCH', '/v2/workspaces/no-uuid', { json: { body: {} } })).toEqual([404, 'NOT_FOUND']);
    expect(await code('GET', '/v2/workspaces/no-uuid', {})).toEqual([404, 'NOT_FOUND']);
    expect(await code('GET', '/v2/workspaces/0190a000-0000-7000-8000-00000000ffff', {})).toEqual([404, 'NOT_FOUND']);
  });
});

describe('request bodies', () => {
  it.each([
    ['no Content-Type', { body: new Uint8Array([123, 125]) }, 415],
    ['another charset', { body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } }, 415],
    ['a +json type', { body: '{}', headers: { 'content-type': 'application/merge-patch+json;charset="UTF-8"' } }, 201],
    ['an empty body', { headers: { 'content-type': 'application/json' } }, 400],
    ['nothing at all', {}, 400],
    ['an array', { json: [] }, 400],
    [
      'invalid UTF-8',
      { body: new Uint8Array([123, 34, 0xff, 34, 125]), headers: { 'content-type': 'application/json' } },
      400,
    ],
    ['too many bytes', { json: { text: 'x'.repeat(1000) } }, 413],
  ])('%s', async (_, init, status) => {
    await using service = await fakeService(resolvers);
    expect((await service.ask('POST', '/workspaces', init)).status).toBe(status);
  });

  it('refuses a body that turns out too long while being read', async () => {
    await using service = await fakeService(resolvers);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 10; i++) controller.enqueue(new TextEncoder().encode('"'.repeat(200)));
        controller.close();
      },
    });
    const answer = await fetch(`${service.url}/workspaces`, {
      method: 'POST',
      body: stream,
      headers: { authorization: 'Bearer writer', 'content-type': 'application/json' },
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(413);
  });

  it('does not hang on to a client that disconnects mid-body', async () => {
    await using service = await fakeService(resolvers);
    const request = httpRequest(`${service.url}/workspaces`, {
      method: 'POST',
      headers: {
        ...{ authorization: 'Bearer writer', 'content-type': 'application/json', 'content-length': '100' },
        expect: '100-continue',
      },
    });
    request.on('error', () => {});
    request.flushHeaders();
    await once(request, 'continue'); // the service reads its body
    request.write('{"a":');
    request.destroy();
    await expect.poll(() => service.lines.map(({ level, fields }) => [level, fields.status])).toEqual([['info', 499]]);
  });
});

describe('paths', () => {
  it('accepts both slash forms', async () => {
    await using service = await fakeService(resolvers);
    for (const path of [
      `/v2/workspaces/${ID}`,
      `/v2/workspaces/${ID}/`,
      '/workspaces',
      '/workspaces/',
      '/workspaces/?limit=1',
    ]) {
      expect((await service.ask('GET', path)).status, path).toBe(200);
    }
  });

  it('refuses malformed percent-encoding', async () => {
    await using service = await fakeService(resolvers);
    for (const [path, ...places] of [
      ['/v2/workspaces/%zz', 'workspace_id'],
      ['/v2/workspaces/%zz/documents/%ff/', 'workspace_id', 'document_id'],
      [`/v2/workspaces/${ID}/nothing/%zz`, '%zz'],
      ['/v2/workspaces?sort=%zz', 'sort'],
    ] as const) {
      const answer = await service.ask('GET', path);
      const errors = places.map((parameter) => ({ parameter, message: expect.stringContaining('percent-encoding') }));
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        400,
        expect.objectContaining({ code: 'INVALID_INPUT', errors }),
      ]);
    }
  });

  it('needs no Content-Type without a body', async () => {
    await using service = await fakeService({ deleteWorkspace: () => entity() });
    expect((await service.ask('DELETE', `/v2/workspaces/${ID}`)).status).toBe(200);
  });
});
