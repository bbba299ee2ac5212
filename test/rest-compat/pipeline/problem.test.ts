import { describe, expect, it } from 'vitest';
import { invalidInput, ServiceError } from '../../../src/errors.ts';
import { entity, fakeService, ID } from './fake-service.ts';

const faulty = invalidInput([
  { path: '/status', message: 'is wrong.' },
  { path: '', message: 'is wrong too.' },
]);

describe('problem documents (contract §3)', () => {
  it('have every member, and the request id of the header', async () => {
    await using service = await fakeService({});
    const answer = await service.ask('GET', '/v2/workspaces/x/?', { headers: { 'x-request-id': 'abc-1' } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers.get('x-request-id')).toBe('abc-1');
    expect(await answer.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no workspace with the id x.',
      instance: '/v2/workspaces/x',
      code: 'NOT_FOUND',
      message: 'There is no workspace with the id x.',
      requestId: 'abc-1',
    });
  });

  it('replace an unusable request id with a new one', async () => {
    await using service = await fakeService({});
    for (const given of ['x'.repeat(129), 'with space']) {
      const answer = await service.ask('GET', '/v2/workspaces/x', { headers: { 'x-request-id': given } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('point into the request body as sent', async () => {
    await using service = await fakeService({
      createOrganization: () => Promise.reject(faulty),
      updateDocument: () => Promise.reject(faulty),
    });
    const paths = async (method: string, path: string, json: unknown) => {
      const problem = (await (await service.ask(method, path, { json })).json()) as { errors: { path: string }[] };
      return problem.errors.map(({ path: where }) => where);
    };
    expect(await paths('POST', '/v2/organizations', { name: 'a' })).toEqual(['/status', '']);
    expect(await paths('POST', '/v2/organizations', { body: { name: 'a' } })).toEqual(['/body/status', '/body']);
    expect(await paths('PATCH', `/v2/workspaces/${ID}/documents/${ID}`, { body: {} })).toEqual([
      '/body/status',
      '/body',
    ]);
  });

  it('report all faults of a body at once', async () => {
    await using service = await fakeService({});
    const answer = await service.ask('POST', `/v2/workspaces/${ID}/documents`, { json: { body: 7 } });
    expect(((await answer.json()) as { errors: unknown }).errors).toEqual([
      { path: '/type', message: 'is missing.' },
      { path: '/body', message: 'must be a JSON object.' },
    ]);
  });

  it('name the member or parameter an argument came from', async () => {
    const unknown = () => Promise.reject(invalidInput([{ parameter: 'type', message: 'is unknown.' }]));
    await using service = await fakeService({ createDocument: unknown, documents: unknown });
    const errors = async (answer: Response) => ((await answer.json()) as { errors: unknown }).errors;
    const path = `/v2/workspaces/${ID}/documents`;
    expect(await errors(await service.ask('POST', path, { json: { type: 'x', body: {} } }))).toEqual([
      { path: '/type', message: 'is unknown.' },
    ]);
    expect(await errors(await service.ask('GET', `${path}?type=x`))).toEqual([
      { parameter: 'type', message: 'is unknown.' },
    ]);
  });

  it("carry the error's headers", async () => {
    await using service = await fakeService({
      workspace: () => Promise.reject(new ServiceError('UNAVAILABLE', 'Down.', { headers: { 'Retry-After': '5' } })),
    });
    const answer = await service.ask('GET', `/workspaces/${ID}`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('say nothing of an internal error, which is logged', async () => {
    await using service = await fakeService({ workspace: () => Promise.reject(new TypeError('secret detail')) });
    const answer = await service.ask('GET', `/workspaces/${ID}`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
    const error = service.lines.find(({ level }) => level === 'error');
    expect(error?.fields).toMatchObject({
      status: 500,
      endpoint: 'legacy.workspaces.get',
      err: { message: 'secret detail' },
    });
  });

  it('are a 404 for a null entity', async () => {
    await using service = await fakeService({ workspace: () => null });
    expect((await service.ask('GET', `/workspaces/${ID}`)).status).toBe(404);
  });
});

describe('the log', () => {
  it('has one line per request, without the query string', async () => {
    await using service = await fakeService({
      workspaces: () => ({ nodes: [entity()], pageInfo: { hasNextPage: false } }),
    });
    await service.ask('GET', '/v2/workspaces?filter[description]=secret', {
      headers: { traceparent: '00-abc-def-01' },
    });
    expect(service.lines).toEqual([
      {
        level: 'info',
        fields: {
          requestId: expect.any(String),
          method: 'GET',
          path: '/v2/workspaces',
          status: 200,
          ms: expect.any(Number),
          endpoint: 'v2.workspaces.list',
          tenant: 't-1',
          principal: 'p-writer',
          trace: '00-abc-def-01',
          replayed: false,
        },
      },
    ]);
    expect(service.gateway.contexts.map(({ disposed }) => disposed)).toEqual([true]);
  });
});
