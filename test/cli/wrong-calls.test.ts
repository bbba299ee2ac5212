import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, inject, it } from 'vitest';
import * as audit from '../../src/cli/audit/export.ts';
import * as backup from '../../src/cli/backup.ts';
import * as config from '../../src/cli/deployment/config.ts';
import * as migrate from '../../src/cli/deployment/migrate.ts';
import * as probe from '../../src/cli/deployment/probe.ts';
import * as shard from '../../src/cli/deployment/shard.ts';
import * as doctor from '../../src/cli/doctor.ts';
import * as follow from '../../src/cli/feed/follow.ts';
import type { Command } from '../../src/cli/invocation.ts';
import * as keys from '../../src/cli/keys.ts';
import * as rebuild from '../../src/cli/rebuild.ts';
import * as restore from '../../src/cli/restore.ts';
import * as usage from '../../src/cli/tenants/usage.ts';
import * as users from '../../src/cli/users.ts';
import * as webhooks from '../../src/cli/webhooks/webhooks.ts';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'exchange-wrong-calls-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** No database that a command could reach: what is wrong with its call is told before it looks for one. */
const env = { MONGODB_URI: '', DATA_DIR: join(folder, 'none') };

describe('a command that is called wrongly', () => {
  it.each<[string, Command, readonly string[], string]>([
    ['audit', audit, ['--since', 'x', '--export', '-'], '--since must be'],
    ['backup', backup, ['a', 'b'], 'b is not expected here.'],
    ['config', config, ['--yaml'], '--yaml is not expected here.'],
    ['doctor', doctor, ['--json'], '--json is not expected here.'],
    ['follow', follow, ['--nosuch'], "Unknown option '--nosuch'."],
    ['keys', keys, ['rotate', 'x'], 'rotate needs the id of a key'],
    ['migrate', migrate, ['--after', 'soon'], '--after soon cannot be used'],
    ['probe', probe, ['--deep'], '--deep is not expected here.'],
    ['rebuild', rebuild, ['figures'], 'figures cannot be rebuilt'],
    ['restore', restore, [''], 'It needs the name of the file to restore.'],
    ['shard', shard, [], 'It needs one option'],
    ['usage', usage, ['--recount'], '--recount is not expected here.'],
    ['users', users, ['disable'], 'The name of the user is missing'],
    ['webhooks', webhooks, ['ping', 'x'], 'ping needs the id of a webhook'],
  ])('says what is wrong once, with the usage, and exits with 2: %s', async (_name, command, args, said) => {
    const { code, stdout, stderr } = await runCommand({ command, args, env });
    expect([code, stdout, stderr.split('\n\n')]).toEqual([
      2,
      '',
      [expect.stringMatching(new RegExp(`^${RegExp.escape(said)}[^\n]*$`)), `Usage:\n${command.USAGE}\n`],
    ]);
  });
});

it.each<[string, Command, readonly string[]]>([
  ['config', config, []],
  ['doctor', doctor, []],
  ['keys', keys, ['list', '--tenant', newId()]],
  ['migrate', migrate, []],
  ['probe', probe, []],
  ['shard', shard, ['--plan']],
  ['usage', usage, []],
])('a setting that cannot be used is no reason for a stack trace: %s', async (_name, command, args) => {
  const { code, stdout, stderr } = await runCommand({ command, args, env: { ...env, PORT: 'http' } });
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^PORT="http" cannot be used/)]);
  expect(stderr).not.toMatch(/\n {4}at /);
});

it('a command says that a value exists, and not which', async () => {
  const mongo = new MongoClient(inject('mongoUri'));
  const db = mongo.db(`test_${newId().replaceAll('-', '')}`);
  const run = async () => {
    const names = db.collection<{ _id: string }>('names');
    await names.insertOne({ _id: 'anna@kestrel.example' });
    await names.insertOne({ _id: 'anna@kestrel.example' });
  };
  try {
    const { code, stderr } = await runCommand({ command: { run, USAGE: '' }, args: [], env });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^E11000 duplicate key error .* index: _id_\n$/)]);
  } finally {
    await db.dropDatabase();
    await mongo.close();
  }
});
