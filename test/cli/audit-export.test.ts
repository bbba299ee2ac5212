import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { serviceFixture } from '../service.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const { BASE_URL: _url, ...env } = process.env;
const tenant = DEMO_TENANTS.client;

const service = serviceFixture();
const folder = mkdtempSync(join(tmpdir(), 'audit-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

const settings = () => ({
  env: { ...env, MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: service.stores.db.databaseName },
});
const cli = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args], settings());
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const logOf = async (entity: string) => {
  const query = `query ($entity: UUID) {
    auditLog(entity: $entity) { nodes { action operation address principal { id name } outcome } }
  }`;
  return (await service.graphql(query, { entity }, 'admin')).body.data.auditLog.nodes;
};

describe('the command line', () => {
  it("records its changes in the tenant's audit log", async () => {
    const made = await cli('keys', 'create', '--tenant', tenant, '--name', 'ERP', '--scopes', 'read');
    const key = made.stderr.slice(0, 36);
    await cli('keys', 'revoke', key);
    const command = { address: null, principal: { id: null, name: `command line (${userInfo().username})` } };
    expect(await logOf(key)).toMatchObject([
      { action: 'key.revoked', operation: 'cli keys revoke', ...command, outcome: 'SUCCESS' },
      { action: 'key.created', operation: 'cli keys create', ...command, outcome: 'SUCCESS' },
    ]);
  });

  it('records its changes to users', async () => {
    const username = `anna-${newId()}@kestrel.example`;
    const adding = spawn(
      process.execPath,
      [main, 'users', 'add', '--tenant', tenant, '--username', username, '--scopes', 'read'],
      settings(),
    );
    adding.stdin.end('correct horse battery staple\n');
    expect(await once(adding, 'close')).toEqual([0, null]);
    await cli('users', 'disable', username);
    const user = await service.stores.users.findNamed(username);
    expect(await logOf(user?._id ?? '')).toMatchObject([
      { action: 'user.disabled', operation: 'cli users disable' },
      { action: 'user.created', operation: 'cli users add' },
    ]);
    const before = await service.stores.db.collection('audit_log').countDocuments();
    await expect(cli('users', 'disable', 'nobody@kestrel.example')).rejects.toMatchObject({ code: 1 });
    expect(await service.stores.db.collection('audit_log').countDocuments()).toBe(before);
  });
});

describe('npm run cli -- audit', () => {
  it('writes the lines of all tenants, and of none, to a file others cannot read', async () => {
    await service.ask('GET', `/v2/organizations/${newId()}`, { as: 'client' });
    await service.stores.audit.add([
      { tenant: null, principal: null, at: new Date(), action: 'sign_in', entity: null, outcome: 'failure' },
      { tenant: newId(), principal: null, at: new Date(), action: 'sign_in', entity: null, outcome: 'failure' },
    ]);
    const file = join(folder, 'all.ndjson');
    const { stderr } = await cli('audit', '--since', '2026-01-01', '--export', file);
    const lines = linesOf(readFileSync(file, 'utf8'));
    expect(stderr).toContain(`${file}: ${lines.length} lines.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines).toHaveLength(await service.stores.db.collection('audit_log').countDocuments());
    expect(new Set(lines.map((line) => line.tenant)).size).toBe(3);
    const times = lines.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    expect(lines.find(({ action }) => action === 'key.created')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.any(String),
      tenant,
      action: 'key.created',
      principal: { id: null, name: expect.any(String) },
      operation: 'cli keys create',
      entity: expect.any(String),
      outcome: 'success',
    });
    await expect(cli('audit', '--export', file)).rejects.toMatchObject({
      stderr: expect.stringContaining('already exists'),
    });
  });

  it('names an unwritable file as the operator did', async () => {
    const file = join(folder, 'none', 'all.ndjson');
    await expect(cli('audit', '--export', file)).rejects.toMatchObject({
      code: 1,
      stderr: `${file} cannot be written (ENOENT: no such file or directory), so nothing was written.\n`,
    });
  });

  it("writes one tenant's lines since a time to stdout", async () => {
    const since = new Date(Date.now() + 50).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const added = { principal: null, at: new Date(), action: 'sign_in', entity: null, outcome: 'failure' } as const;
    await service.stores.audit.add([{ tenant, ...added }]);
    await service.stores.audit.add([{ tenant: null, ...added }]);
    const { stdout } = await cli('audit', '--since', since, '--tenant', tenant, '--export', '-');
    expect(linesOf(stdout)).toMatchObject([{ tenant, action: 'sign_in' }]);
    // MongoDB removes what is older than the retention within a minute.
    const [day = '', before = ''] = [100, 101].map((ago) =>
      new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
    );
    const at = new Date(`${day}T23:59:59.999Z`);
    await service.stores.audit.add([{ tenant, ...added, at }]);
    const whole = await cli('audit', '--since', day, '--until', day, '--export', '-');
    expect(linesOf(whole.stdout)).toMatchObject([{ at: at.toISOString() }]);
    const none = await cli('audit', '--until', before, '--export', '-');
    expect(none.stdout).toBe('');
  });

  it('refuses a period that ends before it starts', async () => {
    const swapped = ['--since', '2026-11-01', '--until', '2026-10-01'];
    await expect(cli('audit', ...swapped, '--export', '-')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--since must not be later than --until\./),
    });
  });

  it('reports everything wrong with its options at once', async () => {
    await expect(cli('audit', '--since', 'yesterday', '--tenant', 'acme')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--since must be .*\n--tenant must be a UUID.*\n--export must name the file/),
    });
  });
});
