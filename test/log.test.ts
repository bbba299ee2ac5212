import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { logTo } from '../src/log.ts';
import { CALLERS, makeWorkspace, startTestService, type TestService } from './service.ts';

let service: TestService;
let workspace: { id: string };

beforeAll(async () => {
  service = await startTestService();
  workspace = await makeWorkspace(service);
});
afterAll(() => service.stop());

const jobs = () => `/workspaces/${workspace.id}/jobs`;
const linesOf = (id: string) => service.logged.filter(({ requestId }) => requestId === id);

describe('the log', () => {
  it('has one line for each request: what was asked, by which tenant, how it ended', async () => {
    const headers = {
      'X-Request-Id': 'log-test-1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const answer = await service.ask('GET', `${jobs()}?limit=1&status=secret-value`, { as: 'client', headers });
    expect(answer.headers.get('x-request-id')).toBe('log-test-1');
    expect(linesOf('log-test-1')).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: jobs(),
        status: 200,
        endpoint: 'legacy.jobs.list',
        tenant: expect.any(String),
        trace: headers.traceparent,
        ms: expect.any(Number),
      }),
    ]);
  });

  it('holds no key, no body and no query of a whole session', async () => {
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

  it('tells the cause of a 500, and the answer its request id alone', async () => {
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

  it('loses the password of an address in an error', () => {
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
    const log = logTo({ logLevel: 'info' }, stream);
    const cause = new Error('mongodb+srv://user:pass-word@b.example/x failed');
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
