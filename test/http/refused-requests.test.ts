import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';
import { connectTo, statusOf } from './raw.ts';

const service = serviceFixture({ env: { DEMO_PUBLIC: '1' } });
const AS = 'Authorization: Bearer demo-client-key';

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends raw bytes, and reads until the service closes the connection. */
async function send(...pieces: readonly (string | Buffer)[]): Promise<readonly RawAnswer[]> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (bytes) => void received.push(bytes)).on('error', () => undefined);
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    socket.write(piece);
    await sleep(20);
  }
  await closed;
  return answersIn(Buffer.concat(received));
}

function answersIn(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const [first = '', ...lines] = rest.subarray(0, rest.indexOf('\r\n\r\n')).toString().split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    const start = rest.indexOf('\r\n\r\n') + 4;
    const end = start + Number(headers.get('content-length') ?? 0);
    answers.push({ status: Number(first.split(' ')[1]), headers, body: rest.subarray(start, end).toString() });
    rest = rest.subarray(end);
  }
  return answers;
}

const request = (line: string, ...headers: readonly string[]) =>
  Buffer.from(`${[`${line} HTTP/1.1`, 'Host: a', AS, ...headers].join('\r\n')}\r\n\r\n`);

async function sendOne(...pieces: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const [answer, ...more] = await send(...pieces);
  expect(more).toEqual([]);
  if (answer === undefined) throw new Error('there is no answer');
  return answer;
}

/** A refusal is a problem document, with the request id in both places. */
function problemOf({ status, headers, body }: RawAnswer): { readonly code: string; readonly allow: string | null } {
  const problem = JSON.parse(body);
  expect(headers.get('content-type')).toMatch('application/problem+json');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(problem).toMatchObject({ status, requestId: headers.get('x-request-id') });
  expect(problem.requestId).toMatch(/.+/);
  return { code: problem.code, allow: headers.get('allow') };
}

describe('raw UTF-8 in an address', () => {
  it('is read as if percent-encoded, in query and path', async () => {
    const name = `Örtly & Søn 港`;
    await service.ask('POST', '/v2/organizations', { as: 'client', body: { name } });
    const found = await sendOne(request(`GET /v2/organizations?name=Örtly%20%26%20Søn%20港`));
    expect(JSON.parse(found.body).map(({ body }: { body: { name: string } }) => body.name)).toEqual([name]);
    await service.ask('PUT', `/api/rest/1.0/ports/${encodeURIComponent('Łódź')}`, {
      as: 'client',
      body: { name: 'A' },
    });
    expect(
      (await sendOne(request('GET /api/rest/1.0/ports/Łódź', 'X-Request-Id: mine'))).headers.get('x-request-id'),
    ).toBe('mine');
  });

  it('accepts a body arriving with it or later', async () => {
    for (const pause of [false, true]) {
      const body = JSON.stringify({ name: 'Ü', note: 'é'.repeat(300_000) });
      const head = request(
        `PUT /api/rest/1.0/ports/Ü-${pause}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      );
      const answer = pause
        ? await sendOne(head, body.slice(0, 9), body.slice(9))
        : await sendOne(Buffer.concat([head, Buffer.from(body)]));
      expect(answer.status).toBe(201);
    }
  });

  it('may have letters containing a byte that is a space in Latin-1', async () => {
    const name = 'à la carte, Škoda, Россия';
    await service.ask('POST', '/v2/organizations', { as: 'client', body: { name } });
    const found = await sendOne(request(`GET /v2/organizations?name=${name.replaceAll(' ', '%20')}`));
    expect([found.status, JSON.parse(found.body)[0]?.body.name]).toEqual([200, name]);
  });

  it('is refused if not UTF-8', async () => {
    const answer = await sendOne(Buffer.from(request('GET /v2/organizations?name=ü').toString(), 'latin1'));
    expect([answer.status, problemOf(answer).code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('works after other requests on the connection', async () => {
    const [first, second] = await send(request('GET /v2/schemas'), request('GET /v2/organizations?name=ü'));
    expect([first?.status, second?.status]).toEqual([200, 200]);
  });
});

describe('an unknown method', () => {
  it.each(['FOO', 'get', 'X-Y', 'DESCRIBE', 'TRACE'])('is 405 with Allow: %s', async (method) => {
    const answer = await sendOne(request(`${method} /v2/organizations`, 'Connection: close'));
    expect([answer.status, problemOf(answer)]).toEqual([
      405,
      { code: 'METHOD_NOT_ALLOWED', allow: 'GET, HEAD, POST, OPTIONS' },
    ]);
    expect(JSON.parse(answer.body).detail).toContain(method);
  });

  it('is 405 for an address with raw UTF-8 too, and 404 for unknown paths', async () => {
    expect((await sendOne(request('FOO /api/rest/1.0/ports/ü'))).status).toBe(405);
    expect((await sendOne(request('FOO /nowhere'))).status).toBe(404);
  });

  it.each(['FOO /v2/organizations', 'FOO /é', 'PUT /api/rest/1.0/ports/é'])(
    'is answered before its body arrives, whoever sends it: %s',
    async (line) => {
      const head = `${line} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 40000\r\n\r\n`;
      const answer = await sendOne(Buffer.from(head), 'x'.repeat(20_000), 'x'.repeat(20_000));
      expect([401, 404, 405]).toContain(answer.status);
      expect((await service.ask('GET', '/v2/schemas', { as: 'client' })).status).toBe(200);
    },
  );

  it('is 405 with Allow also for CONNECT', async () => {
    const answer = await sendOne(request('CONNECT a:443'));
    expect([answer.status, problemOf(answer).allow]).toEqual([405, expect.stringContaining('GET')]);
  });
});

describe('the request line', () => {
  const REST = `HTTP/1.1\r\nHost: a\r\n${AS}\r\n\r\n`;

  it.each([
    ['raw UTF-8', ['GET /v2/organizations?name=ü', ` ${REST}`], 200],
    [
      'raw UTF-8, the bytes of a letter apart',
      [Buffer.from('GET /v2/organizations?name=\xc3', 'latin1'), Buffer.from([0xbc]), ` ${REST}`],
      200,
    ],
    [
      'raw UTF-8 in many pieces',
      ['\r\nGET /v2/organizations?name=ü', 'ü%20n', 'amé', ' HT', 'TP/1.1\r', REST.slice(9)],
      200,
    ],
    ['an unknown method', ['BREW /v2/organizations', ` ${REST}`], 405],
    ['half of an unknown method', ['BRE', `W /v2/organizations ${REST}`], 405],
    ['an unknown method alone', ['BREW', ' /v2/organizations', ` ${REST}`], 405],
    ['no version of HTTP', ['BREW /v2/organizations', ` ${REST.replace('1.1', '3.1')}`], 400],
    ['an address with a space', ['BREW /v2/a', ` b ${REST}`], 400],
  ] as const)('may come in pieces, once the first of them has the fault: %s', async (_, pieces, status) => {
    expect((await sendOne(...pieces)).status).toBe(status);
  });

  it('is refused if it never ends', async () => {
    const long = 'x'.repeat(100_000);
    expect((await sendOne('GET /ü', ...[long, long, long, long])).status).toBe(400);
  });

  it('is refused if the client closes before its end', async () => {
    const connection = connectTo(service.url);
    connection.socket.end('BREW /v2/organizations');
    expect(await connection.ends(30_000)).toBe(true);
    expect(statusOf(connection.answer)).toBe(400);
  });
});

describe('anything that is not HTTP', () => {
  const FAULTY: Readonly<Record<string, string | Buffer>> = {
    garbage: 'garbage\r\n\r\n',
    'an empty method': ' / HTTP/1.1\r\nHost: a\r\n\r\n',
    'two lengths': request('GET /v2/schemas', 'Content-Length: 1', 'Content-Length: 2'),
    'a length and chunks': request('POST /v2/organizations', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    'a header with a space in its name': request('GET /v2/schemas', 'B ad: x'),
    'a version that is not': 'GET /v2/schemas HTTP/3.0\r\nHost: a\r\n\r\n',
    'a space in the address': request('GET /v2/a b'),
    'no host': 'GET /v2/schemas HTTP/1.1\r\n\r\n',
    'two hosts': request('GET /v2/schemas', 'HOST: b'),
    'the same host twice': request('GET /v2/schemas', 'host: a'),
    'two hosts and a body': request('POST /graphql', 'Host: b', 'Content-Type: application/json', 'Content-Length: 2'),
    'two hosts of HTTP/1.0': 'GET /v2/schemas HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n',
    'two keys': request('GET /v2/schemas', 'authorization: Bearer demo-vendor-key'),
    'the same key twice': request('GET /v2/schemas', AS),
    'two keys for GraphQL': request('POST /graphql', AS, 'Content-Type: application/json', 'Content-Length: 2'),
    'two cookies': request('GET /v2/schemas', 'Cookie: session=a', 'COOKIE: session=b'),
    'a chunk without a size': Buffer.concat([
      request('POST /v2/organizations', 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
      Buffer.from('zz\r\n'),
    ]),
    'the start of TLS': Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]),
  };

  it.each(Object.entries(FAULTY))('is 400 with a problem document and a request id: %s', async (_, bytes) => {
    const answer = await sendOne(bytes);
    expect([answer.status, problemOf(answer).code]).toEqual([400, 'INVALID_INPUT']);
  });

  it.each([
    ['no host', 'Host'],
    ['two hosts', 'Host'],
    ['two keys', 'Authorization'],
    ['two cookies', 'Cookie'],
  ])('is told which header is at fault: %s', async (fault, parameter) => {
    const { body } = await sendOne(FAULTY[fault] ?? '');
    expect(JSON.parse(body).errors).toMatchObject([{ parameter }]);
  });

  it('is refused after the responses to earlier requests', async () => {
    const body = JSON.stringify({ name: 'Pipelined' });
    const post = (path: string) =>
      Buffer.concat([
        request(`PUT ${path}`, 'Content-Type: application/json', `Content-Length: ${body.length}`),
        Buffer.from(body),
      ]);
    const [first, second] = ['/api/rest/1.0/ports/PIPE1', '/api/rest/1.0/ports/PIPE2'].map(post);
    const answers = await send(
      Buffer.concat([first ?? Buffer.of(), second ?? Buffer.of(), Buffer.from('garbage\r\n\r\n')]),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 400]);
  });

  it.each(['FOO /v2/organizations', 'GET /v2/organizations?name=ü', 'garbage'])(
    'is no request inside a body whose request was answered before: %s',
    async (line) => {
      const head = 'POST /v2/organizations HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
      expect((await send(head, request(line))).map(({ status }) => status)).toEqual([401]);
    },
  );

  it.each(['FOO /v2/organizations', 'GET /v2/organizations?name=ü'])(
    'is no request among the headers of another one: %s',
    async (line) => {
      const answer = await sendOne('POST /v2/organizations HTTP/1.1\r\nHost: a\r\n', request(line));
      expect([answer.status, problemOf(answer).code]).toEqual([400, 'INVALID_INPUT']);
    },
  );

  it('is a request again once that body has ended', async () => {
    const head = 'POST /v2/organizations HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answers = await send(head, '2\r\nab\r\n0\r\n\r\n', request('FOO /v2/organizations'));
    expect(answers.map(({ status }) => status)).toEqual([401, 405]);
  });

  it('is 431 if the headers are too large', async () => {
    const answer = await sendOne(request('GET /v2/schemas', `X-Long: ${'x'.repeat(300_000)}`));
    expect([answer.status, problemOf(answer).code]).toEqual([431, 'HEADERS_TOO_LARGE']);
  });

  it('is 431 for more than a thousand headers, stating the limit', async () => {
    const withHeaders = (count: number) => {
      const headers = Array.from({ length: count }, (_, index) => `X-${index}: a`);
      return sendOne(request('GET /v2/schemas', 'Connection: close', ...headers));
    };
    expect((await withHeaders(997)).status).toBe(200);
    const refused = await withHeaders(998);
    expect([refused.status, problemOf(refused).code]).toEqual([431, 'HEADERS_TOO_LARGE']);
    expect(JSON.parse(refused.body).detail).toContain('256 KiB of them, its address included, in 1000 fields');
  });

  it('is logged with the id the client got', async () => {
    const { requestId } = JSON.parse((await sendOne('garbage\r\n\r\n')).body);
    expect(service.logged.filter((line) => line.requestId === requestId)).toHaveLength(1);
  });

  it('is served for an unknown expectation, and for HTTP/1.0 without a host', async () => {
    expect((await sendOne(request('GET /v2/schemas', 'Expect: wonders', 'Connection: close'))).status).toBe(200);
    expect((await sendOne(`GET /v2/schemas HTTP/1.0\r\n${AS}\r\n\r\n`)).status).toBe(200);
  });

  it('leaves the service as it was after a hundred at once', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, i) => send(i % 2 ? 'garbage\r\n\r\n' : request('FOO /é'))));
    expect((await service.ask('GET', '/v2/schemas', { as: 'client' })).status).toBe(200);
  });
});
