import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { v7 as newId } from 'uuid';
import { describe, expect, inject, it } from 'vitest';
import { serviceFixture } from '../service.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const { BASE_URL: _url, ...env } = process.env;
const FULL = '/dev/full';
const SIGPIPE = 141;

const service = serviceFixture({ env: { ENVIRONMENT: 'production' } });

interface Ending {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs a command whose stdout is a full device, or a pipe without a reader. */
async function cli(stdout: 'full' | 'unread', ...args: string[]): Promise<Ending> {
  const full = stdout === 'full' ? openSync(FULL, 'w') : undefined;
  const settings = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: service.stores.db.databaseName };
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...env, ...settings },
    stdio: ['ignore', full ?? 'pipe', 'pipe'],
  });
  if (full !== undefined) closeSync(full);
  child.stdout?.destroy();
  const [said, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'close')]);
  return { code, stderr: said };
}

const keysOf = (tenant: string) => service.stores.principals.keysOf(tenant);
const logOf = (tenant: string) => service.stores.db.collection('audit_log').countDocuments({ tenant });
const creation = (tenant: string) => ['keys', 'create', '--tenant', tenant, '--name', 'ERP', '--scopes', 'read'];

describe.skipIf(!existsSync(FULL))('a new key that cannot be written', () => {
  it.each(['full', 'unread'] as const)('is not created where stdout is %s', async (stdout) => {
    const tenant = newId();
    expect(await cli(stdout, ...creation(tenant))).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^stdout cannot be written \(.*The key is not valid, and nothing has changed\.$/m),
    });
    expect([await keysOf(tenant), await logOf(tenant)]).toEqual([[], 0]);
  });

  it('leaves the key to be rotated as it is', async () => {
    const tenant = newId();
    const key = { _id: newId(), kind: 'key', hash: newId(), tenant, name: 'ERP', scopes: ['read'] } as const;
    await service.stores.principals.putKey({ ...key, scopes: ['read'], created_at: new Date() });
    const before = await keysOf(tenant);
    const { code, stderr } = await cli('full', 'keys', 'rotate', key._id, '--overlap', '0s');
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing has changed')]);
    expect([await keysOf(tenant), await logOf(tenant)]).toEqual([before, 0]);
  });
});

describe('a command whose output cannot be written', () => {
  const commands = [
    ['keys', 'list', '--tenant', newId()],
    ['doctor', '--verify', '--json'],
    ['config'],
    ['backup', '--help'],
    ['help'],
    ['audit', '--export', '-'],
  ];

  it.skipIf(!existsSync(FULL)).each(commands)('says so and exits 1: %s %s', async (...args) => {
    await service.ask('GET', `/v2/organizations/${newId()}`, { as: 'client' });
    const { code, stderr } = await cli('full', ...args);
    expect([code, stderr.trim()]).toEqual([
      1,
      'stdout cannot be written (ENOSPC: no space left on device, write), so that some or all of the output is missing.',
    ]);
  });

  it.each(commands)('exits silently if nobody reads it: %s %s', async (...args) => {
    expect(await cli('unread', ...args)).toEqual({ code: SIGPIPE, stderr: '' });
  });
});
