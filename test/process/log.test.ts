import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { MongoClient } from 'mongodb';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { logAccess } from '../../src/http/access-log.ts';
import { logTo } from '../../src/log.ts';
import { CALLERS, serviceFixture, startTestService, type TestService, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const jobs = () => `/workspaces/${workspace.id}/jobs`;
const linesOf = (id: string) => service.logged.filter(({ requestId }) => requestId === id);

describe('the log', () => {
  const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const common = {
    status: 200,
    level: pino.levels.values.info,
    tenant: expect.any(String),
    principal: expect.any(String),
    address: '127.0.0.1',
    trace,
    ms: expect.any(Number),
  };

  it('has one line per REST request: what was requested, by whom, how it ended', async () => {
    const headers = { 'X-Request-Id': 'log-test-1', traceparent: trace };
    const answer = await service.ask('GET', `${jobs()}?limit=1&status=secret-value`, { as: 'client', headers });
    expect(answer.headers.get('x-request-id')).toBe('log-test-1');
    const line = { ...common, method: 'GET', path: jobs(), endpoint: 'legacy.jobs.list' };
    expect(linesOf('log-test-1')).toEqual([expect.objectContaining(line)]);
  });

  it('has one line per GraphQL request, with the same fields and the operation name', async () => {
    const headers = { 'X-Request-Id': 'log-test-2', traceparent: trace };
    const query = 'query First { jobs(first: 1) { totalCount } } query Second { jobs(first: 2) { totalCount } }';
    await service.ask('POST', '/graphql', { as: 'client', headers, body: { query, operationName: 'Second' } });
    const line = { ...common, method: 'POST', path: '/graphql', operation: 'Second' };
    await expect.poll(() => linesOf('log-test-2')).toEqual([expect.objectContaining(line)]);
    const rest = await service.ask('GET', '/v2/organizations', { as: 'client' });
    const [{ tenant, principal } = {}] = linesOf(String(rest.headers.get('x-request-id')));
    expect(linesOf('log-test-2')).toMatchObject([{ tenant, principal }]);
  });

  it('names the operation of a refused request too, in at most 100 characters, and no unknown tenant', async () => {
    const name = `L${'o'.repeat(150)}ng`;
    const refused = await service.graphql(`query ${name} { jobs { nothing } }`, {}, null);
    expect(refused.body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    const find = () => linesOf(String(refused.headers.get('x-request-id')));
    await expect.poll(find).toEqual([expect.objectContaining({ operation: `${name.slice(0, 99)}…` })]);
    expect(find()[0]).not.toHaveProperty('tenant');
    expect(find()[0]).not.toHaveProperty('principal');
  });

  it('is not flooded by long paths and headers, nor is the answer', async () => {
    const headers = { 'X-Request-Id': 'x'.repeat(3_000), traceparent: 't'.repeat(3_000) };
    const answer = await service.ask('GET', `/${'p'.repeat(3_000)}`, { headers });
    expect([answer.status, answer.text.length < 10_000]).toEqual([404, true]);
    const id = String(answer.headers.get('x-request-id'));
    expect(id.length).toBeLessThanOrEqual(128);
    await expect.poll(() => linesOf(id)).toHaveLength(1);
    expect(JSON.stringify(linesOf(id)).length).toBeLessThan(1_500);
  });

  it('has a line for a list whose client leaves before the end', async () => {
    const bulk = {
      type: 'svc.inspection.job',
      body: Array.from({ length: 600 }, () => ({ notes: 'x'.repeat(20_000) })),
    };
    await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, { as: 'client', body: bulk });
    const id = 'log-test-4';
    const headers = { Authorization: `Bearer ${CALLERS.client}`, 'X-Request-Id': id };
    const leaving = new AbortController();
    const response = await fetch(`${service.url}${jobs()}`, { headers, signal: leaving.signal });
    expect(response.status).toBe(200);
    leaving.abort();
    await expect.poll(() => linesOf(id)).toMatchObject([{ status: 499, endpoint: 'legacy.jobs.list', level: 30 }]);
  });

  it('has a line for a subscription when it ends, with its name', async () => {
    const ending = new AbortController();
    const id = 'log-test-3';
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${CALLERS.client}`,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
        'X-Request-Id': id,
      },
      body: JSON.stringify({ query: 'subscription Watching { documentChanged { kind } }' }),
      signal: ending.signal,
    });
    expect(response.status).toBe(200);
    expect(linesOf(id)).toEqual([]);
    ending.abort();
    const { trace: _trace, ...line } = { ...common, status: 499, operation: 'Watching' };
    await expect.poll(() => linesOf(id)).toMatchObject([line]);
  });

  it('shows the address given by a trusted proxy, and by no other', async () => {
    await using behind = await startTestService({ env: { TRUST_PROXY: '1' } });
    const addressFrom = async ({ ask, logged }: TestService, forwarded: string): Promise<unknown> => {
      const answer = await ask('GET', '/v2/organizations', { as: 'client', headers: { 'X-Forwarded-For': forwarded } });
      return logged.find(({ requestId }) => requestId === answer.headers.get('x-request-id'))?.address;
    };
    expect(await addressFrom(behind, '203.0.113.1, 198.51.100.7')).toBe('198.51.100.7');
    expect(await addressFrom(behind, '::ffff:198.51.100.8')).toBe('198.51.100.8');
    expect(await addressFrom(behind, '2001:db8::9')).toBe('2001:db8::9');
    for (const written of ['198.51.100.9:50123', '[2001:db8::10]:50123', '[2001:db8::10]', 'fe80::1%eth0.1']) {
      expect(await addressFrom(behind, written)).toBe(/198[\d.]+|2001:[\da-f:]+|fe80::1/.exec(written)?.[0]);
    }
    expect(await addressFrom(behind, 'password=secret')).toBe('127.0.0.1');
    expect(await addressFrom(service, '203.0.113.1')).toBe('127.0.0.1');
  });

  it('logs a 500 at error level with the cause, for REST and GraphQL', async () => {
    const failing = vi.spyOn(service.stores.principals, 'findKey').mockRejectedValue(new Error('the disk is on fire'));
    const headers = { Authorization: 'Bearer an-unknown-key' };
    try {
      const body = { query: 'query Q { __typename }' };
      for (const answer of [
        await service.ask('GET', jobs(), { headers }),
        await service.ask('POST', '/graphql', { headers, body }),
      ]) {
        expect(answer.status).toBe(500);
        const find = () => linesOf(String(answer.headers.get('x-request-id'))).filter(({ msg }) => msg === 'request');
        const err = expect.objectContaining({ message: 'the disk is on fire' });
        await expect.poll(find).toEqual([expect.objectContaining({ level: 50, status: 500, err })]);
      }
    } finally {
      failing.mockRestore();
    }
  });

  it('contains no keys, bodies or queries from a whole session', async () => {
    const as = 'client';
    const secret = 'Sensitive-Cargo';
    const { body: job } = await service.ask('POST', jobs(), {
      as,
      body: { notes: secret, location: { name: `${secret} Port` } },
    });
    await service.ask('PATCH', `${jobs()}/${job.id}`, { as: 'vendor', body: { notes: `${secret} 2` } });
    await service.ask('GET', `${jobs()}?refNumber=${secret}`, { as });
    await service.ask('POST', jobs(), { as, body: { status: secret } });
    await service.ask('POST', jobs(), { as, body: `{"notes": "${secret}"` });
    await service.ask('GET', jobs(), { headers: { Authorization: `Bearer ${secret}` } });
    await service.ask('GET', jobs(), { headers: { Authorization: `Basic ${secret}`, Cookie: `session=${secret}` } });
    await service.graphql('mutation M($w: UUID!, $b: JobBody!) { createJob(workspace: $w, body: $b) { id } }', {
      w: workspace.id,
      b: { notes: secret },
    });
    await service.graphql(`{ jobs(filter: [{ field: "${secret}", anyOf: ["${secret}"] }]) { totalCount } }`);
    await service.graphql(`{ ${secret.replace('-', '')} }`);
    await service.ask('DELETE', `${jobs()}/${job.id}`, {
      as,
      headers: { 'If-Match': `"${secret}"`, 'Idempotency-Key': secret },
    });
    const text = JSON.stringify(service.logged);
    expect(service.logged.length).toBeGreaterThan(10);
    for (const word of [secret, secret.replace('-', ''), ...Object.values(CALLERS)]) expect(text).not.toContain(word);
  });

  it('shows the cause of a 500, and the answer only its request id', async () => {
    const { documents } = service.stores;
    const failing = vi.spyOn(documents, 'byId').mockRejectedValue(new Error('the disk is on fire at /var/lib/secret'));
    try {
      const { body: made } = { body: { id: '0190a000-0000-7000-8000-00000000dead' } };
      const rest = await service.ask('GET', `${jobs()}/${made.id}`, { as: 'client' });
      expect(rest.body).toMatchObject({ status: 500, code: 'INTERNAL', requestId: rest.headers.get('x-request-id') });
      expect(rest.body.detail).toContain(rest.body.requestId);
      const graphql = await service.graphql('query Q($id: UUID!) { job(id: $id) { id } }', { id: made.id });
      const id = graphql.headers.get('x-request-id') ?? 'none';
      expect(graphql.body.errors[0].extensions.code).toBe('INTERNAL');
      expect(graphql.body.errors[0].message).toContain(id);
      for (const answer of [rest, graphql]) expect(answer.text).not.toMatch(/fire|secret|at .*\.ts/);
      for (const requestId of [rest.body.requestId, id]) {
        const told = JSON.stringify(linesOf(requestId).filter(({ level }) => Number(level) >= 50));
        expect(told).toContain('the disk is on fire');
        expect(told).toContain('.ts');
      }
    } finally {
      failing.mockRestore();
    }
  });

  it('tells in a few words why a request got 503: during an outage, each has such a line', async () => {
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
    const unreachable = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 500 });
    const cause = unavailable(await unreachable.connect().catch((error: Error) => error));
    const request = new IncomingMessage(new Socket());
    const logged = { request, requestId: 'log-test-5', path: jobs(), started: performance.now(), address: '127.0.0.1' };
    logAccess(logTo({ logLevel: 'info' }, stream), { ...logged, cause }, cause.status);
    const [line = ''] = lines;
    const why = { message: 'connect ECONNREFUSED 127.0.0.1:1' };
    expect(JSON.parse(line)).toMatchObject({ level: 50, status: 503, err: { code: 'UNAVAILABLE', cause: why } });
    expect(line).not.toContain('"stack"');
    expect(line.length).toBeLessThan(1_000);
  });

  it('strips the password from addresses in errors', () => {
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
    const log = logTo({ logLevel: 'info' }, stream);
    const cause = new Error('mongodb+srv://user:pass-word@b.example/x failed');
    log.error({ err: AbortSignal.abort().reason }, 'aborted');
    expect(JSON.parse(lines.pop() ?? '')).toMatchObject({ err: { name: 'AbortError' }, msg: 'aborted' });
    log.error({ err: new Error('cannot reach mongodb://user:pass-word@a.example:27017', { cause }) }, 'no database');
    expect(lines.join()).toContain('a.example');
    expect(lines.join()).not.toContain('pass-word');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: pino.levels.values.error,
      msg: 'no database',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });
});
