import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);

const UNPACK: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};

interface Sent {
  readonly accepts?: string | undefined;
  readonly method?: string;
  readonly query?: string;
  readonly ifNoneMatch?: string | undefined;
}

/** Asks as a client that does no decompression. */
async function ask(path: string, { accepts, method = 'GET', query, ifNoneMatch }: Sent = {}) {
  const headers = {
    authorization: 'Bearer demo-client-key',
    ...(accepts !== undefined && { 'accept-encoding': accepts }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
    ...(query !== undefined && { 'content-type': 'application/json' }),
  };
  const request = send(`${service.url}${path}`, { method, headers, agent: false });
  request.end(query && JSON.stringify({ query }));
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const bytes = await buffer(answer);
  const { 'content-encoding': coding, 'content-length': length, etag } = answer.headers;
  const text = (coding === undefined || method === 'HEAD' ? bytes : UNPACK[coding]?.(bytes))?.toString() ?? '';
  return { status: answer.statusCode, coding, length, etag, vary: answer.headers.vary, bytes, text };
}

const make = async (notes: string): Promise<string> => {
  const { body } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { notes } });
  return `/workspaces/${workspace.id}/jobs/${body.id}`;
};

/** Jobs of a few hundred bytes, some kilobytes, and more than is compressed at once; not all of it ASCII. */
const at = { short: '', middle: '', long: '' };

beforeAll(async () => {
  await projectorBegins(service);
  at.short = await make('short');
  at.middle = await make('Größe – 温度 '.repeat(300));
  at.long = await make('a vessel, its cargo and ');
  const long = Array.from({ length: 30_000 }, (_, index) => `line ${index} – 温度`).join('\n');
  await service.ask('PATCH', at.long, { as: 'client', body: { notes: long } });
});

describe('Accept-Encoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-unknown', undefined],
    ['x-unknown, gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['br, gzip', 'br'],
    ['gzip;q=0.5, br', 'br'],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0, x-unknown', undefined],
    ['deflate', undefined],
    ['deflate, gzip, br, zstd', 'gzip'],
    ['*', 'gzip'],
  ])('%j gets %s', async (accepts, coding) => {
    const [plain, answer] = [await ask(at.middle), await ask(at.middle, { accepts })];
    expect([answer.status, answer.coding, answer.text]).toEqual([200, coding, plain.text]);
    expect(answer.length).toBe(String(answer.bytes.length));
    expect(answer.bytes.length < plain.bytes.length / 2).toBe(coding !== undefined);
    expect(answer.vary).toContain('Accept-Encoding');
    expect(answer.etag).toBe(coding ? plain.etag?.replace(/"$/, `-${coding}"`) : plain.etag);
  });

  it('of one client does not affect the next', async () => {
    const codings = ['gzip', undefined, 'br', 'identity', 'gzip'];
    const answers = await Promise.all(codings.map((accepts) => ask(at.middle, { accepts })));
    expect(answers.map(({ coding }) => coding)).toEqual(['gzip', undefined, 'br', undefined, 'gzip']);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('leaves short answers alone', async () => {
    const answer = await ask(at.short, { accepts: 'gzip' });
    expect([answer.status, answer.coding, answer.length]).toEqual([200, undefined, String(answer.bytes.length)]);
  });

  it.each(['gzip', 'br'])('%s of a long answer arrives in pieces', async (accepts) => {
    const [plain, answer] = [await ask(at.long), await ask(at.long, { accepts })];
    expect(plain.bytes.length).toBeGreaterThan(512 * 1024);
    expect([answer.coding, answer.length, answer.text === plain.text]).toEqual([accepts, undefined, true]);
    expect(answer.etag).toBe(plain.etag?.replace(/"$/, `-${accepts}"`));
  });

  it.each([
    ['short', 'gzip'],
    ['middle', 'gzip'],
    ['middle', 'gzip, deflate, br'],
    ['middle', 'identity'],
    ['long', 'gzip'],
    ['long', 'gzip, deflate, br'],
  ] as const)('of HEAD for a %s text, %s, has the headers of GET, or no length', async (name, accepts) => {
    const [get, head] = [await ask(at[name], { accepts }), await ask(at[name], { accepts, method: 'HEAD' })];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect([head.coding, head.etag, head.vary]).toEqual([get.coding, get.etag, get.vary]);
    expect(head.length).toBe(get.coding === undefined ? get.length : undefined);
    for (const tag of [head.etag, (await ask(at[name])).etag])
      expect((await ask(at[name], { accepts, method: 'HEAD', ifNoneMatch: tag })).status).toBe(304);
  });

  it('of HEAD for a list has the headers of GET', async () => {
    for (const query of ['?limit=10', '']) {
      const list = `/workspaces/${workspace.id}/jobs${query}`;
      const head = await ask(list, { accepts: 'gzip', method: 'HEAD' });
      expect([head.status, head.bytes.length, head.length]).toEqual([200, 0, undefined]);
      expect(head.vary).toBe((await ask(list, { accepts: 'gzip' })).vary);
    }
  });
});

describe('GraphQL', () => {
  const query = `{ job(workspace: "${'W'}", id: "${'J'}") { id notes } }`;
  const of = (path: string) => {
    const [, , id = '', , job = ''] = path.split('/');
    return query.replace('W', id).replace('J', job);
  };

  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['br', 'br'],
    ['identity', undefined],
  ])('answers %s as REST does', async (accepts, coding) => {
    const asked = { method: 'POST', query: of(at.middle) };
    const [plain, answer] = [await ask('/graphql', asked), await ask('/graphql', { ...asked, accepts })];
    expect(JSON.parse(plain.text)).toMatchObject({ data: { job: { notes: 'Größe – 温度 '.repeat(300) } } });
    expect([answer.status, answer.coding, answer.text]).toEqual([200, coding, plain.text]);
    expect(answer.length).toBe(String(answer.bytes.length));
  });

  it('compresses long answers, GET answers and error lists, but no short ones', async () => {
    const long = await ask('/graphql', { method: 'POST', query: of(at.long), accepts: 'gzip' });
    expect([long.coding, long.length]).toEqual(['gzip', undefined]);
    expect(JSON.parse(long.text).data.job.notes).toMatch(/\nline 29999 – 温度$/);
    const address = `/graphql?query=${encodeURIComponent(of(at.middle))}`;
    expect((await ask(address, { accepts: 'br' })).coding).toBe('br');
    const wrong = `{ ${Array.from({ length: 30 }, (_, index) => `nothing${index}`).join(' ')} }`;
    const refused = await ask('/graphql', { method: 'POST', query: wrong, accepts: 'gzip' });
    expect(refused.coding).toBe('gzip');
    expect(JSON.parse(refused.text).errors[0].message).toContain('nothing0');
    expect((await ask('/graphql', { method: 'POST', query: of(at.short), accepts: 'gzip' })).coding).toBeUndefined();
  });

  it.each(['POST', 'GET'])('sends the events of a subscription by %s uncompressed, and at once', async (method) => {
    const query = `subscription { documentChanged(workspace: "${workspace.id}") { documentId } }`;
    const isPost = method === 'POST';
    const path = isPost ? '/graphql' : `/graphql?query=${encodeURIComponent(query)}`;
    const request = send(`${service.url}${path}`, {
      method,
      headers: {
        authorization: 'Bearer demo-client-key',
        accept: 'text/event-stream, */*;q=0.1',
        'accept-encoding': 'gzip',
        ...(isPost && { 'content-type': 'application/json' }),
      },
    });
    request.end(isPost ? JSON.stringify({ query }) : undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    let told = '';
    answer.on('data', (chunk: Buffer) => {
      told += chunk;
    });
    const { 'content-type': type, 'content-encoding': coding } = answer.headers;
    expect([type?.split(';')[0], coding]).toEqual(['text/event-stream', undefined]);
    const id = (await make('told')).split('/').at(-1);
    await expect.poll(() => told, { timeout: 20_000 }).toContain(id);
    answer.destroy();
  });

  it('sends a query requested as events uncompressed', async () => {
    const request = send(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        ...{ authorization: 'Bearer demo-client-key', 'content-type': 'application/json' },
        ...{ accept: 'text/event-stream', 'accept-encoding': 'gzip' },
      },
      agent: false,
    });
    request.end(JSON.stringify({ query: of(at.middle) }));
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const { 'content-type': type, 'content-encoding': coding } = answer.headers;
    expect([type?.split(';')[0], coding]).toEqual(['text/event-stream', undefined]);
    expect((await buffer(answer)).toString()).toContain('Größe – 温度');
  });
});
