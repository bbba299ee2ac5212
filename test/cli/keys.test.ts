import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import * as command from '../../src/cli/keys.ts';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { projectCacheDir } from '../../src/embedded-mongod/server.ts';
import { serviceFixture } from '../service.ts';
import { runCommand } from './run-command.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const embedded = join(import.meta.dirname, '..', 'embedded', 'embedded-gateway.ts');
const tenant = '0190a000-0000-7000-8000-00000000d001';
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, ...env } = process.env;

const service = serviceFixture({ env: { ENVIRONMENT: 'production' } });

const database = () => ({ MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: service.stores.db.databaseName });
/** As run from a shell, in its own process. */
const spawned = (args: readonly string[], settings: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [cli, 'keys', ...args], { env: { ...env, ...database(), ...settings } });
const keys = (args: readonly string[]) => runCommand({ command, args, env: database() });
const creation = (...more: string[]) => ['create', '--tenant', tenant, '--name', 'ERP of Aldermoor', ...more];
const create = async (...more: string[]) => {
  const { code, stdout, stderr } = await keys(creation(...more));
  expect(code, stderr).toBe(0);
  return { key: stdout.trim(), id: stderr.slice(0, 36), stderr };
};
const statusWith = async (key: string, method = 'GET') => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = method === 'GET' ? {} : { body: JSON.stringify({ name: `Aldermoor ${Math.random()}` }) };
  return (await fetch(`${service.url}/v2/organizations`, { method, headers, ...body })).status;
};

describe('npm run cli -- keys create', () => {
  it('prints only a key to stdout that works, within its scopes', async () => {
    const { stdout, stderr } = await spawned(creation('--scopes', 'read'));
    const key = stdout.slice(0, -1);
    expect(key).toMatch(/^ix_[\w-]{43}$/);
    expect(stderr).toMatch(
      /^[0-9a-f-]{36} {2}read {2}"ERP of Aldermoor" {2}begins ix_[\w-]{6}, created 20.*, expires 20.*, never used\n/,
    );
    expect([await statusWith(key), await statusWith(key, 'POST')]).toEqual([200, 403]);
    const writer = await create('--scopes', 'read, write', '--expires', '2999-12-31');
    expect([await statusWith(writer.key, 'POST'), writer.stderr]).toEqual([
      201,
      expect.stringContaining('expires 2999-12-31T00:00:00.000Z'),
    ]);
  });

  it("stores the key's hash and not the key", async () => {
    const { key } = await create('--scopes', 'read');
    const stored = JSON.stringify(await service.stores.principals.keysOf(tenant));
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(key.slice(3));
  });

  it('lists everything wrong at once, with the usage', async () => {
    const wrong = ['create', '--tenant', 'acme', '--scopes', 'read,everything', '--expires', '2001-01-01', 'now'];
    await expect(spawned(wrong)).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^now is not expected here\.\n--tenant must be a UUID.*\n--name must .*\n--scopes must be one or more of read, write, admin.*\n--expires must lie in the future.*\n\nUsage:\nnpm run cli -- keys create /,
      ),
    });
    expect(await service.stores.principals.keysOf('acme')).toEqual([]);
  });

  it.each([
    [['create', '--tenent', tenant], /^Unknown option '--tenent'\.$/m],
    [['create', '--tenant', tenant, '--tenant', tenant], /^--tenant was given more than once, and takes one value\.$/m],
    [['create', '--name', 'a', '--name=b', '--scopes', 'read'], /^--name was given more than once/],
    [['create', '--name', 'a\nb\u001b[31m'], /^--name must have no line breaks or other control characters\.$/m],
    [['renew'], /^keys cannot "renew"\./],
    [['rotate'], /^rotate needs the id of a key/],
    [['rotate', tenant, '--overlap', 'a week'], /^--overlap must be a number of/],
    [[], /^What is to be done with keys\?/],
    [['list', '--tenant', tenant, '--name', 'x'], /^--name is not expected here\./],
    [['revoke', 'x'], /^revoke needs the id of a key/],
  ])('refuses %j', async (args, stderr) => {
    expect(await keys(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) });
  });
});

describe('npm run cli -- keys list and revoke', () => {
  it('revokes a key, as shown by the list and enforced by the service', async () => {
    const { key, id } = await create('--scopes', 'read');
    const { stdout } = await keys(['revoke', id]);
    expect(stdout).toContain(`${id} is revoked.`);
    expect(await statusWith(key)).toBe(401);
    const list = await keys(['list', '--tenant', tenant.toUpperCase()]);
    expect(list.stdout).toMatch(new RegExp(`^${id} {2}read .*, revoked 20`, 'm'));
    expect(list.stdout).not.toContain(key);
  });

  it('says that a key was revoked already, and changes nothing', async () => {
    const { id } = await create('--scopes', 'read');
    await keys(['revoke', id]);
    const { principals, db } = service.stores;
    const before = await principals.keyOf(id);
    const at = before?.revoked_at?.toISOString();
    expect(await keys(['revoke', id])).toEqual({ code: 0, stdout: `${id} was revoked already, ${at}.\n`, stderr: '' });
    expect(await principals.keyOf(id)).toEqual(before);
    expect(await db.collection('audit_log').countDocuments({ entity: id, action: 'key.revoked' })).toBe(1);
  });

  it('strips control characters from a stored name', async () => {
    const { id } = await create('--scopes', 'read');
    const named = service.stores.db.collection<{ _id: string }>('principals');
    await named.updateOne({ _id: id }, { $set: { name: 'a\nb\u001b[31m' } });
    expect((await keys(['list', '--tenant', tenant])).stdout).toContain('"a\\u000ab\\u001b[31m"');
  });

  it('lists the keys of all tenants, so that one that was found somewhere can be told by its beginning', async () => {
    const { key, id } = await create('--scopes', 'read');
    const { code, stdout } = await keys(['list']);
    const found = stdout.split('\n').filter((line) => line.includes(`begins ${key.slice(0, 9)},`));
    expect([code, found]).toEqual([0, [expect.stringMatching(new RegExp(`^${tenant} {2}${id} {2}read `))]]);
    expect(
      new Set(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.slice(0, 36)),
      ),
    ).toContain(DEMO_TENANTS.vendor);
  });

  it('reports a tenant without keys and an unknown key', async () => {
    const nobody = '0190a000-0000-7000-8000-00000000d0ff';
    expect((await keys(['list', '--tenant', nobody])).stdout).toBe(`The tenant ${nobody} has no keys.\n`);
    expect(await keys(['revoke', nobody])).toMatchObject({
      code: 1,
      stderr: `There is no key with the id ${nobody}.\n`,
    });
  });
});

describe('npm run cli -- keys create --expires', () => {
  const expiryOf = ({ stderr }: { stderr: string }) => / expires (\S+Z)/.exec(stderr)?.[1] ?? '';

  it('defaults to a year, and "never" must be explicit', async () => {
    const year = new Date(expiryOf(await create('--scopes', 'read'))).getTime() - Date.now();
    expect(Math.round(year / 86_400_000)).toBe(365);
    const never = await create('--scopes', 'read', '--expires', 'never');
    expect(never.stderr).toContain(', does not expire, never used\n');
    expect(await statusWith(never.key)).toBe(200);
    for (const wrong of ['', 'Never', '2001-01-01']) {
      expect(await keys(creation('--scopes', 'read', '--expires', wrong))).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('or be never'),
      });
    }
  });
});

describe("a key's last use", () => {
  it("is shown in the list, with the key's prefix", async () => {
    const { key, id } = await create('--scopes', 'read');
    const line = async () =>
      (await keys(['list', '--tenant', tenant])).stdout.split('\n').find((one) => one.startsWith(id)) ?? '';
    expect(await line()).toContain(`begins ${key.slice(0, 9)}, `);
    expect(await line()).toContain(', never used');
    expect(await statusWith(key)).toBe(200);
    await expect.poll(line, { timeout: 20_000 }).toMatch(/, last used 20\S+Z/);
    expect(await line()).not.toContain(key.slice(0, 12));
  });
});

describe('npm run cli -- keys rotate', () => {
  const principalOf = async (key: string) => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await service.ask('POST', '/graphql', { headers, body: { query: '{ viewer { id } }' } })).body.data.viewer
      .id;
  };

  it('creates a new key of the same principal, while the old one remains valid for the overlap', async () => {
    const old = await create('--scopes', 'read');
    expect(await statusWith(old.key)).toBe(200);
    const { stdout, stderr } = await keys(['rotate', old.id, '--overlap', '30m']);
    const key = stdout.trim();
    expect(key).toMatch(/^ix_[\w-]{43}$/);
    expect(stderr).toContain(`the one before, ${old.key.slice(0, 9)}, works until 20`);
    expect([await statusWith(key), await statusWith(old.key)]).toEqual([200, 200]);
    expect([await principalOf(key), await principalOf(old.key)]).toEqual([old.id, old.id]);
    const principals = service.stores.db.collection<{ _id: string }>('principals');
    await principals.updateOne({ _id: old.id }, { $set: { 'previous.expires_at': new Date() } }); // half an hour later
    await expect.poll(() => statusWith(old.key), { timeout: 20_000 }).toBe(401);
    expect(await statusWith(key)).toBe(200);
    await keys(['revoke', old.id]);
    await expect.poll(() => statusWith(key), { timeout: 20_000 }).toBe(401);
    expect(await keys(['rotate', old.id])).toMatchObject({ code: 1, stderr: expect.stringContaining('is revoked') });
  });

  it('ends the old key within seconds if there is no overlap, and both when the key is revoked', async () => {
    const [one, other] = [await create('--scopes', 'read'), await create('--scopes', 'read')];
    const now = (await keys(['rotate', one.id, '--overlap', '0s', '--expires', 'never'])).stdout.trim();
    await expect.poll(() => statusWith(one.key), { timeout: 20_000 }).toBe(401);
    expect(await statusWith(now)).toBe(200);
    const next = (await keys(['rotate', other.id])).stdout.trim();
    await keys(['revoke', other.id]);
    expect([await statusWith(next), await statusWith(other.key)]).toEqual([401, 401]);
    expect(await keys(['rotate', '0190a000-0000-7000-8000-00000000d0ff'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no key'),
    });
  });
});

describe.concurrent('npm run cli -- keys on an embedded database', () => {
  it('works on the database of the gateway running on DATA_DIR', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'exchange-keys-'));
    const gateway = spawn(process.execPath, [embedded, DATA_DIR, projectCacheDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(gateway.stdout, 'data');
      const args = ['create', '--tenant', tenant, '--name', 'first', '--scopes', 'admin'];
      await spawned(args, { MONGODB_URI: '', DATA_DIR });
      const { stdout } = await spawned(['list', '--tenant', tenant], { MONGODB_URI: '', DATA_DIR });
      expect(stdout).toMatch(/^[0-9a-f-]{36} {2}admin {2}"first"/);
    } finally {
      gateway.kill('SIGTERM');
      await once(gateway, 'close');
      rmSync(DATA_DIR, { recursive: true });
    }
  });
});

describe.concurrent('npm run cli -- keys without a database', () => {
  it('says which gateway is missing, or why the database is unreachable', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'exchange-keys-'));
    await expect(spawned(['list', '--tenant', tenant], { MONGODB_URI: '', DATA_DIR })).rejects.toMatchObject({
      stderr: expect.stringContaining(`no gateway runs on ${DATA_DIR}`),
    });
    rmSync(DATA_DIR, { recursive: true });
    const MONGODB_URI = 'mongodb://127.0.0.1:1/?replicaSet=none';
    await expect(spawned(['list', '--tenant', tenant], { MONGODB_URI })).rejects.toMatchObject({
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
