import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it } from 'vitest';
import { askPassword } from '../../src/cli/ask-password.ts';
import * as command from '../../src/cli/users.ts';
import { signIn, trySignIn } from '../auth/sign-in.ts';
import { serviceFixture } from '../service.ts';
import { runCommand } from './run-command.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const tenant = '0190a000-0000-7000-8000-00000000d002';
const PASSWORD = 'correct horse battery';
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, ...env } = process.env;

const service = serviceFixture({ env: { ENVIRONMENT: 'production', BASE_URL: 'https://api.example' } });

const settings = () => ({ MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: service.stores.db.databaseName });
/** Runs a command that asks for no password. */
const users = (...args: readonly string[]) => runCommand({ command, args, env: settings() });
/** Runs a command in its own process; `typed` goes to its stdin. */
async function spawned(args: readonly string[], typed = '') {
  const child = spawn(process.execPath, [cli, 'users', ...args], { env: { ...env, ...settings() } });
  const exited = new Promise<number | null>((resolve) => void child.once('close', resolve));
  child.stdin.on('error', () => undefined); // a command that needs no password does not read it
  child.stdin.end(typed);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { stdout, stderr, code };
}
const add = (username: string, scopes = 'read', typed = `${PASSWORD}\n`) =>
  spawned(['add', '--tenant', tenant, '--username', username, '--scopes', scopes], typed);

describe('npm run cli -- users add', () => {
  it('creates a user who can sign in with the password from stdin, within the scopes', async () => {
    const { stdout, stderr, code } = await add('anna@kestrel.example');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^[0-9a-f-]{36} {2}read {2}"anna@kestrel.example" {2}created 20.*, may sign in\n$/);
    const headers = await signIn(service, { username: 'anna@kestrel.example', password: PASSWORD });
    const viewer = { query: '{ viewer { tenant name scopes } }' };
    expect((await service.ask('POST', '/graphql', { headers, body: viewer })).body.data.viewer).toEqual({
      tenant,
      name: 'anna@kestrel.example',
      scopes: ['read'],
    });
    expect((await service.ask('POST', '/v2/organizations', { headers, body: { name: 'x' } })).status).toBe(403);
    const stored = JSON.stringify(await service.stores.users.listOf(tenant));
    expect(stored).toContain('scrypt:32768:8:3:');
    expect(stored).not.toContain(PASSWORD);
  });

  it('takes only the first line, with or without a line break', async () => {
    await Promise.all([
      add('ben', 'read', 'the first of lines\nanother line\n'),
      add('cleo', 'read', 'no end of line'),
    ]);
    expect((await trySignIn(service, { username: 'ben', password: 'the first of lines' })).status).toBe(201);
    expect((await trySignIn(service, { username: 'cleo', password: 'no end of line' })).status).toBe(201);
  });

  it('allows each name once, ignoring case', async () => {
    await add('dora@kestrel.example');
    const again = await add('Dora@Kestrel.example', 'read', 'quite another one\n');
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toBe('There is already a user Dora@Kestrel.example; letter case does not matter.\n');
    expect((await trySignIn(service, { username: 'dora@kestrel.example', password: PASSWORD })).status).toBe(201);
  });

  it('lists everything wrong at once, with the usage', async () => {
    const wrong = await spawned(['add', '--tenant', 'acme', '--username', ' ', '--scopes', 'all', 'now']);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(
      /^now is not expected here\.\n--tenant must be a UUID.*\n--username must .*\n--scopes must be one or more of read, write, admin.*\n\nUsage:\nnpm run cli -- users add /,
    );
  });

  it.concurrent.each(['password1234', 'aaaaaaaaaaaa', 'emil-emil-emil'])(
    'refuses an easily guessed password: %s',
    async (password) => {
      const { code, stderr } = await add('emil', 'read', `${password}\n`);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^The password is too easy to guess: /)]);
      expect(stderr).not.toContain(password);
    },
  );

  it.concurrent.each(['short', '', 'x'.repeat(1_001)])('refuses a password of invalid length: %s', async (password) => {
    const { code, stderr } = await add('emil', 'read', `${password}\n`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The password must have 12 to 1000 characters\.\n/)]);
    expect(await service.stores.users.findNamed('emil')).toBeUndefined();
  });
});

describe('npm run cli -- users', () => {
  it('disables a user, ending its sessions for good, and re-enables it', async () => {
    const who = { username: 'finn', password: PASSWORD };
    await add('finn', 'read,write');
    const headers = await signIn(service, who);
    const disabled = await users('disable', 'Finn');
    expect([disabled.code, disabled.stdout]).toEqual([0, expect.stringMatching(/^finn is disabled\./)]);
    expect((await trySignIn(service, who)).status).toBe(401);
    expect((await users('list', '--tenant', tenant.toUpperCase())).stdout).toMatch(
      /read,write {2}"finn" .*, disabled 20/,
    );
    expect((await users('enable', 'finn')).stdout).toBe('finn may sign in.\n');
    expect((await trySignIn(service, who)).status).toBe(201);
    expect((await service.ask('GET', '/v2/schemas', { headers })).status).toBe(401);
  });

  it('changes a password and ends the sessions of the old one', async () => {
    await add('gwen');
    await signIn(service, { username: 'gwen', password: PASSWORD });
    const changed = await spawned(['password', 'gwen'], 'a password of this year\n');
    expect([changed.code, changed.stdout]).toEqual([0, 'gwen has a new password; its sessions have ended.\n']);
    const user = await service.stores.users.findNamed('gwen');
    expect(await service.stores.db.collection('sessions').countDocuments({ user: user?._id })).toBe(0);
    expect((await trySignIn(service, { username: 'gwen', password: PASSWORD })).status).toBe(401);
    expect((await trySignIn(service, { username: 'gwen', password: 'a password of this year' })).status).toBe(201);
    const { code, stderr } = await spawned(['password', 'gwen'], 'short\n');
    expect([code, stderr]).toEqual([1, expect.stringContaining('12 to 1000 characters')]);
  });

  it('reports a tenant without users, and unknown names', async () => {
    const nobody = '0190a000-0000-7000-8000-00000000d0ff';
    expect((await users('list', '--tenant', nobody)).stdout).toBe(`The tenant ${nobody} has no users.\n`);
    const outcomes = [
      await users('disable', 'nobody'),
      await users('enable', 'nobody'),
      await spawned(['password', 'nobody'], `${PASSWORD}\n`),
    ];
    const unknown = { code: 1, stdout: '', stderr: 'There is no user nobody.\n' };
    expect(outcomes).toEqual([unknown, unknown, unknown]);
  });

  it.each([
    [['add', '--password', 'secret'], /^Unknown option '--password'/],
    [['add', '--username', 'anna\u001b[31m'], /^--username must have no line breaks or other control characters\.$/m],
    [['rename'], /^users cannot "rename"\./],
    [[], /^What is to be done with users\?/],
    [['list', '--tenant', tenant, '--username', 'x'], /^--username is not expected here\./],
    [['disable'], /^The name of the user is missing/],
    [['password', 'a', 'secret'], /^secret is not expected here\./],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await users(...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('askPassword', () => {
  it('asks at a terminal, without echoing what is typed', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = new PassThrough();
    const asked = askPassword('Password: ', { input, output });
    input.write('typed unseen\r');
    expect(await asked).toBe('typed unseen');
    output.end();
    expect(await text(output)).toBe('Password: \n');
  });
});
