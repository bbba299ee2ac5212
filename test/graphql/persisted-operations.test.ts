import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../service.ts';

const folder = mkdtempSync(join(tmpdir(), 'operations-'));
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

const FORM = 'application/x-www-form-urlencoded';
const TRUSTED = 'query Who { viewer { name } }';
const FILED = 'query Jobs($n: Int!) { jobs(first: $n) { totalCount } }';
const WATCH = 'subscription { documentChanged(after: "x") { id } }';
const OTHER = 'query Other { viewer { tenant } }';

const started: TestService[] = [];
const start = async (env: Record<string, string>) => {
  const service = await startTestService({ env });
  started.push(service);
  return service;
};

beforeAll(() => {
  mkdirSync(join(folder, 'good', 'deeper'), { recursive: true });
  writeFileSync(join(folder, 'good', 'deeper', 'jobs.graphql'), `${FILED}\n`);
  writeFileSync(
    join(folder, 'good', 'manifest.json'),
    JSON.stringify({
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [{ id: 'who-1', name: 'Who', type: 'query', body: TRUSTED }],
    }),
  );
  writeFileSync(join(folder, 'good', 'watch.json'), JSON.stringify({ watch: WATCH }));
  writeFileSync(join(folder, 'good', 'notes.txt'), 'no operation');
  writeFileSync(join(folder, 'map.json'), JSON.stringify({ [hashOf(TRUSTED)]: TRUSTED }));
  writeFileSync(join(folder, 'bad.json'), JSON.stringify({ a: '{ nothing }', b: '{ jobs {', c: TRUSTED }));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all(started.map((service) => service.stop()));
});

const post = async (service: TestService, body: object, headers: Record<string, string> = {}) => {
  const answer = await service.ask('POST', '/graphql', { as: 'client', body, headers });
  return { ...answer, error: answer.body.errors?.[0] };
};

describe("operations identified by hash (Apollo's protocol) or by id", () => {
  it('are requested once, and known from then on', async () => {
    const service = await start({});
    const extensions = persisted(hashOf(OTHER));
    for (let time = 0; time < 2; time++) {
      const { status, error } = await post(service, { extensions });
      expect([status, error.message, error.extensions.code]).toEqual([
        200,
        'PersistedQueryNotFound',
        'PERSISTED_QUERY_NOT_FOUND',
      ]);
    }
    expect((await post(service, { query: OTHER, extensions })).body.data.viewer).toBeDefined();
    for (const body of [{ extensions }, { documentId: hashOf(OTHER) }, { documentId: `sha256:${hashOf(OTHER)}` }]) {
      expect((await post(service, body)).body.data.viewer).toBeDefined();
    }
    const byGet = await service.ask('GET', `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`, {
      as: 'client',
      headers: { Accept: 'application/json' },
    });
    expect(byGet.body.data.viewer).toBeDefined();
    const sent = { documentId: hashOf(OTHER) };
    const headers = { Accept: 'application/json' };
    const address = `/graphql?${new URLSearchParams(sent)}`;
    expect((await service.ask('GET', address, { as: 'client', headers })).body.data.viewer).toBeDefined();
    const form = { body: `${new URLSearchParams(sent)}`, headers: { 'Content-Type': FORM, ...headers } };
    expect((await service.ask('POST', '/graphql', { as: 'client', ...form })).body.data.viewer).toBeDefined();
  });

  it('must match their hash', async () => {
    const service = await start({});
    const { error } = await post(service, { query: TRUSTED, extensions: persisted(hashOf(OTHER)) });
    expect([error.extensions.code, error.message]).toEqual([
      'BAD_USER_INPUT',
      'The hash is not the SHA-256 of the query.',
    ]);
    expect((await post(service, { extensions: persisted(hashOf(OTHER)) })).error.extensions.code).toBe(
      'PERSISTED_QUERY_NOT_FOUND',
    );
  });

  it('may be empty, which is no operation', async () => {
    const service = await start({});
    const extensions = persisted(hashOf(''));
    for (const body of [{ query: '' }, { query: '', extensions }, { extensions }]) {
      const { status, error } = await post(service, body);
      expect([status, error]).toEqual([
        200,
        {
          message: 'Syntax Error: Unexpected <EOF>.',
          locations: [{ line: 1, column: 1 }],
          extensions: { code: 'GRAPHQL_PARSE_FAILED' },
        },
      ]);
    }
  });

  it('keep their limits and permissions', async () => {
    const service = await start({});
    const wide = `{ ${Array.from({ length: 60 }, (_, i) => `a${i}: __typename`).join(' ')} }`;
    const extensions = persisted(hashOf(wide));
    for (let time = 0; time < 3; time++) {
      expect((await post(service, { query: wide, extensions })).error.extensions.code).toBe(
        'GRAPHQL_VALIDATION_FAILED',
      );
    }
    await post(service, { query: OTHER, extensions: persisted(hashOf(OTHER)) });
    const stranger = await service.ask('POST', '/graphql', { body: { documentId: hashOf(OTHER) } });
    expect(stranger.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('are those given an id by the operator, also with their text or in a URL', async () => {
    const service = await start({ PERSISTED_OPERATIONS_PATH: join(folder, 'good') });
    expect((await post(service, { documentId: 'who-1', query: TRUSTED })).body.data.viewer).toBeDefined();
    const { error } = await post(service, { documentId: 'who-1', query: OTHER });
    expect([error.extensions.code, error.message]).toEqual([
      'BAD_USER_INPUT',
      'The documentId is not that of the query: neither an id under which the operator gave the same text, nor its SHA-256. Send one of the two alone.',
    ]);
    const byGet = async (given: Record<string, string>, accept: string) => {
      const address = `/graphql?${new URLSearchParams(given)}`;
      return (await service.ask('GET', address, { as: 'client', headers: { Accept: accept } })).text;
    };
    const filed = { documentId: hashOf(FILED), variables: '{"n":5}' };
    expect(await byGet(filed, 'application/json')).toBe('{"data":{"jobs":{"totalCount":0}}}');
    for (const type of ['application/json', 'text/event-stream'])
      expect(await byGet({ documentId: 'who-2' }, type)).toContain('PERSISTED_QUERY_NOT_FOUND');
    expect(await byGet({ documentId: 'watch' }, 'text/event-stream')).toContain('is not the id of an event');
  });

  it('can be turned off', async () => {
    const service = await start({ PERSISTED_OPERATIONS: 'off' });
    const { error } = await post(service, { query: OTHER, extensions: persisted(hashOf(OTHER)) });
    expect(error.extensions.code).toBe('PERSISTED_QUERY_NOT_SUPPORTED');
    expect((await post(service, { query: OTHER })).body.data.viewer).toBeDefined();
  });
});

describe('the only allowed operations', () => {
  it('are those from the operator, by id, by hash or by text', async () => {
    const service = await start({ PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_PATH: join(folder, 'good') });
    for (const body of [
      { documentId: 'who-1' },
      { documentId: hashOf(TRUSTED) },
      { extensions: persisted(hashOf(TRUSTED)) },
      { query: TRUSTED },
      { query: TRUSTED, extensions: persisted(hashOf(TRUSTED)) },
    ]) {
      for (let time = 0; time < 3; time++) {
        expect((await post(service, body)).body, JSON.stringify(body)).toEqual({
          data: { viewer: { name: expect.any(String) } },
        });
      }
    }
    for (const documentId of [hashOf(FILED), hashOf(`${FILED}\n`)]) {
      expect((await post(service, { documentId, variables: { n: 5 } })).body.data).toEqual({ jobs: { totalCount: 0 } });
    }
  });

  it('exclude all others, however sent', async () => {
    const service = await start({ PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_PATH: join(folder, 'map.json') });
    for (const [body, code] of [
      [{ query: OTHER }, 'OPERATION_NOT_ALLOWED'],
      [{ query: `${TRUSTED} ` }, 'OPERATION_NOT_ALLOWED'],
      [{ query: OTHER, extensions: persisted(hashOf(OTHER)) }, 'OPERATION_NOT_ALLOWED'],
      [{ query: OTHER, documentId: 'who-1' }, 'BAD_USER_INPUT'],
      [{ documentId: hashOf(OTHER) }, 'PERSISTED_QUERY_NOT_FOUND'],
      [{ query: '{ __schema { types { name } } }' }, 'OPERATION_NOT_ALLOWED'],
    ] as const) {
      const { status, error } = await post(service, body, { Accept: 'application/graphql-response+json' });
      expect([status, error.extensions.code]).toEqual([400, code]);
    }
    const byGet = await service.ask('GET', `/graphql?query=${encodeURIComponent(OTHER)}`, {
      as: 'client',
      headers: { Accept: 'application/json' },
    });
    expect(byGet.body.errors[0].extensions.code).toBe('OPERATION_NOT_ALLOWED');
    const asForm = await service.ask('POST', '/graphql', {
      as: 'client',
      body: `query=${encodeURIComponent(OTHER)}`,
      headers: { 'Content-Type': FORM, Accept: 'application/json' },
    });
    expect(asForm.body.errors[0].extensions.code).toBe('OPERATION_NOT_ALLOWED');
  });

  it('do not affect REST', async () => {
    const service = await start({ PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_PATH: join(folder, 'map.json') });
    expect((await service.ask('GET', '/v2/workspaces', { as: 'client' })).status).toBe(200);
    expect((await service.ask('GET', '/bridge/v1/health')).status).toBe(200);
  });

  it('stop the start if any cannot run, naming all that cannot', async () => {
    const path = join(folder, 'bad.json');
    await expect(start({ PERSISTED_OPERATIONS_PATH: path })).rejects.toThrow(
      /bad\.json: Cannot query field "nothing".*\n.*bad\.json: Syntax Error/,
    );
    const named = /^PERSISTED_OPERATIONS_PATH=".*" cannot be used: /;
    await expect(start({ PERSISTED_OPERATIONS_PATH: join(folder, 'none') })).rejects.toThrow(named);
    writeFileSync(join(folder, 'broken.json'), '{"a"');
    const broken = start({ PERSISTED_OPERATIONS_PATH: join(folder, 'broken.json') });
    await expect(broken).rejects.toThrow(/^PERSISTED_OPERATIONS_PATH=".*broken\.json is not JSON: /);
    mkdirSync(join(folder, 'empty'));
    await expect(start({ PERSISTED_OPERATIONS_PATH: join(folder, 'empty') })).rejects.toThrow(/there is no \.graphql/);
  });
});
