import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const ORIGIN = 'https://a.example';

const service = serviceFixture({ env: { CORS_ORIGINS: `${ORIGIN},https://b.example` } });
const workspace = workspaceFixture(service);
const jobs = () => `/workspaces/${workspace.id}/jobs`;
const at = { short: '', long: '' };

beforeAll(async () => {
  const make = async (notes: string): Promise<string> =>
    `${jobs()}/${(await service.ask('POST', jobs(), { as: 'client', body: { notes } })).body.id}`;
  at.long = await make('long '.repeat(80_000));
  for (let left = 3; left > 0; left -= 1) at.short = await make('short '.repeat(400));
});

describe('a response to pages of several origins', () => {
  it.each<[string, () => string, (() => object)?]>([
    ['a short text', () => at.short],
    ['a long text', () => at.long],
    ['a page of a list', () => `${jobs()}?limit=2`],
    ['a whole list', jobs],
    [
      'GraphQL',
      () => '/graphql',
      () => ({ query: `{ jobs(workspace: "${workspace.id}", first: 2) { nodes { notes } } }` }),
    ],
  ])('varies by origin and encoding, compressed or not: %s', async (_, path, body) => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const { status, headers } = await service.ask(body ? 'POST' : 'GET', path(), {
        as: 'client',
        body: body?.(),
        headers: { Origin: ORIGIN, 'Accept-Encoding': coding },
      });
      const told = ['content-encoding', 'vary', 'access-control-allow-origin'].map((name) => headers.get(name));
      const shown = coding === 'identity' ? null : coding;
      expect([status, ...told]).toEqual([200, shown, 'Accept-Encoding, Origin', ORIGIN]);
    }
  });
});

describe('OPTIONS', () => {
  const METHOD = { 'Access-Control-Request-Method': 'DELETE' };
  const ask = async (path: string, headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(service.url + path, { method: 'OPTIONS', headers });
    const told = ['allow', 'x-request-id', 'access-control-allow-methods'].map((name) => answer.headers.get(name));
    return { status: answer.status, told, origin: answer.headers.get('access-control-allow-origin') };
  };

  it('without a requested method or an Origin is answered as without origins', async () => {
    for (const headers of [{}, { Origin: ORIGIN }, METHOD]) {
      const known = await ask('/workspaces', { ...headers, 'X-Request-Id': 'r-1' });
      expect([known.status, ...known.told]).toEqual([204, 'GET, HEAD, POST, OPTIONS', 'r-1', expect.anything()]);
      expect((await ask('/nothing', headers)).status).toBe(404);
    }
  });

  it('as a preflight says what the request may be', async () => {
    for (const path of ['/workspaces', '/nothing']) {
      const { status, told, origin } = await ask(path, { Origin: ORIGIN, ...METHOD });
      expect([status, told[0], told[2], origin]).toEqual([204, null, 'GET,HEAD,PUT,PATCH,POST,DELETE', ORIGIN]);
    }
  });
});
