import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** A job, its file, and the ETags of both. */
const at = { job: '', file: '', jobTag: '', fileTag: '' };

interface Sent {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer;
  readonly stranger?: boolean;
}

/** Sends a request no library would, and returns the answer; every refusal says what is wrong. */
async function ask(method: string, path: string, { headers, body, stranger }: Sent = {}) {
  const credential = stranger ? {} : { authorization: 'Bearer demo-client-key' };
  const request = send(`${service.url}${path}`, { method, headers: { ...credential, ...headers }, agent: false });
  request.end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const said = await text(answer);
  const status = answer.statusCode ?? 0;
  if (status >= 400 && method !== 'HEAD') {
    const { detail, errors } = JSON.parse(said);
    expect(detail ?? errors[0].message).toMatch(/\w+ \w+/);
  }
  return { status, headers: answer.headers, said };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const post = async (headers: Sent['headers'], body: Sent['body'], path = `/workspaces/${workspace.id}/jobs`) =>
  (await ask('POST', path, { headers, body: body ?? '' })).status;

beforeAll(async () => {
  const { body } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
    as: 'client',
    body: { notes: 'n' },
  });
  at.job = `/workspaces/${workspace.id}/jobs/${body.id}`;
  const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello world\r\n--x--\r\n';
  const type = { 'content-type': 'multipart/form-data; boundary=x' };
  const { said } = await ask('POST', `${at.job}/files`, { headers: type, body: form });
  at.file = `${at.job}/files/${JSON.parse(said).id}/content`;
  at.jobTag = (await ask('HEAD', at.job)).headers.etag ?? '';
  at.fileTag = (await ask('HEAD', at.file)).headers.etag ?? '';
});

const GRAPHQL = JSON.stringify({ query: '{ __typename }' });
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

describe('an unusual body', () => {
  it.each([
    ['application/json; charset=us-ascii', 201, 200],
    ["application/json; charset='utf-8'", 201, 200],
    ['application/json; charset=', 201, 200],
    ['application/json; charset=utf-16', 415, 415],
    ['application/json; charset=iso-8859-1', 415, 415],
    ['', 415, 415],
  ])('is %s: %i from REST, %i from GraphQL', async (type, rest, graphql) => {
    const headers = { 'content-type': type };
    expect([await post(headers, '{}'), await post(headers, GRAPHQL, '/graphql')]).toEqual([rest, graphql]);
  });

  it.each([
    ['', 201],
    ['identity', 201],
    ['gzip', 415],
    ['utf-8', 415],
  ])('with Content-Encoding "%s" is %i', async (encoding, status) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    const packed = (body: string) => (encoding === 'gzip' ? gzipSync(body) : body);
    expect(await post(headers, packed('{}'))).toBe(status);
    expect(await post(headers, packed(GRAPHQL), '/graphql')).toBe(status === 201 ? 200 : 415);
  });

  it('may begin with a byte order mark, come in chunks, or not be UTF-8', async () => {
    const marked = (body: string) => Buffer.concat([BOM, Buffer.from(body)]);
    expect([await post(JSON_TYPE, marked('{}')), await post(JSON_TYPE, marked(GRAPHQL), '/graphql')]).toEqual([
      201, 200,
    ]);
    const latin1 = Buffer.from('{"query":"{ __typename } # é"}', 'latin1');
    expect([await post(JSON_TYPE, latin1), await post(JSON_TYPE, latin1, '/graphql')]).toEqual([400, 400]);
    expect(await post({ ...JSON_TYPE, 'transfer-encoding': 'chunked' }, '{"notes":"é"}')).toBe(201);
    expect(await post({ ...JSON_TYPE, 'transfer-encoding': 'gzip, chunked' }, gzipSync('{}'))).toBe(415);
  });
});

describe('an Accept header that no browser sends', () => {
  it.each([
    ['*', 200],
    ['text/html, image/gif, *; q=.2', 200],
    ['application/json;q=x', 200],
    ['application/json; q = 0.3', 200],
    ['image/png', 406],
    ['*;q=0', 406],
  ])('%s: %i, from REST and from GraphQL', async (accept, status) => {
    expect((await ask('GET', at.job, { headers: { accept } })).status).toBe(status);
    expect(await post({ ...JSON_TYPE, accept }, GRAPHQL, '/graphql')).toBe(status);
  });
});

describe('an unusual precondition', () => {
  it('If-Match stops a reader from getting another version, of an entity or a file', async () => {
    const read = async (path: string, tag: string) => (await ask('GET', path, { headers: { 'if-match': tag } })).status;
    for (const [path, tag] of [
      [at.job, at.jobTag],
      [at.file, at.fileTag],
    ] as const) {
      expect([await read(path, tag), await read(path, `"x", ${tag}`), await read(path, '*')]).toEqual([200, 200, 200]);
      expect([await read(path, '"x"'), await read(path, `W/${tag}`)]).toEqual([412, 412]);
    }
    const range = { range: 'bytes=0-4', 'if-match': '"x"' };
    expect((await ask('GET', at.file, { headers: range })).status).toBe(412);
  });

  it('If-None-Match: * never lets a change of an existing entity through, and tags are refused', async () => {
    const change = async (method: string, path: string, unless: string) => {
      const headers = { ...JSON_TYPE, 'if-none-match': unless };
      const body = method === 'PATCH' ? { body: '{"notes":"changed"}' } : {};
      return (await ask(method, path, { headers, ...body })).status;
    };
    expect([await change('PATCH', at.job, '*'), await change('DELETE', at.job, ' * ')]).toEqual([412, 412]);
    expect([await change('PATCH', at.job, '"x"'), await change('DELETE', at.job, at.jobTag)]).toEqual([400, 400]);
    expect(await change('PATCH', `${at.job.slice(0, -4)}0000`, '*')).toBe(404);
    const headers = { ...JSON_TYPE, 'if-none-match': '*', 'if-match': at.jobTag };
    const { said } = await ask('DELETE', at.job, { headers });
    expect(JSON.parse(said)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      detail: 'If-None-Match: * holds for nothing that exists: to change a certain version, send its ETag as If-Match.',
    });
    expect(JSON.parse((await ask('GET', at.job)).said).notes).toBe('n');
  });
});

describe('HEAD and OPTIONS outside REST', () => {
  it('are answered on every path, with a request id', async () => {
    for (const path of ['/', '/docs', '/dashboard', '/livez', '/readyz', '/openapi.json', '/openapi/v2.json']) {
      const headers = { 'x-request-id': 'mine' };
      const [options, head] = [await ask('OPTIONS', path, { headers }), await ask('HEAD', path, { headers })];
      expect([path, options.status, options.headers.allow]).toEqual([path, 204, 'GET, HEAD, OPTIONS']);
      expect([path, head.status, head.headers['x-request-id']]).toEqual([path, 200, 'mine']);
    }
  });

  it('are answered by GraphQL, whose other methods are 405', async () => {
    const allow = 'GET, HEAD, POST, OPTIONS';
    const options = await ask('OPTIONS', '/graphql', { stranger: true });
    expect([options.status, options.headers.allow]).toEqual([204, allow]);
    const head = await ask('HEAD', '/graphql?query=%7B__typename%7D');
    const get = await ask('GET', '/graphql?query=%7B__typename%7D', { headers: { accept: 'application/json' } });
    expect([head.status, head.headers['content-type'], head.said]).toEqual([200, get.headers['content-type'], '']);
    const put = await ask('PUT', '/graphql', { headers: JSON_TYPE, body: GRAPHQL });
    expect([put.status, put.headers.allow]).toEqual([405, allow]);
  });

  it.each([
    ['text/html', 200],
    ['text/html, application/json;q=0.9', 200],
    ['application/json', 200],
    ['application/graphql-response+json', 400],
    ['text/plain', 406],
  ])('are answered by GraphQL as GET is for %s', async (accept, status) => {
    const path = '/graphql?query=%7BjobsX%7D';
    const of = async (method: string) => {
      const answer = await ask(method, path, { headers: { accept } });
      const { 'content-type': type, vary } = answer.headers;
      return { status: answer.status, type, vary, said: answer.said };
    };
    const get = await of('GET');
    expect(get.status).toBe(status);
    expect(await of('HEAD')).toEqual({ ...get, said: '' });
  });
});

it('an address with very many malformed parameters is read up to the first thousand', async () => {
  const { status, said } = await ask('GET', `/bridge/v1/health?${'%&'.repeat(100_000)}`, { stranger: true });
  const { errors, errorsOmitted } = JSON.parse(said);
  expect([status, errors.length, errorsOmitted]).toEqual([400, 100, 900]);
});
