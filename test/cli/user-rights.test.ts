import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import * as backup from '../../src/cli/backup.ts';
import * as migrate from '../../src/cli/deployment/migrate.ts';
import * as doctor from '../../src/cli/doctor.ts';
import * as restore from '../../src/cli/restore.ts';
import { collectionsWithoutImages } from '../../src/store/change-streams/pre-images.ts';
import { dropDatabase } from '../drop-database.ts';
import { startTestService } from '../service.ts';
import { runCommand } from './run-command.ts';

const mongo = new MongoClient(inject('mongoUri'));
const name = `test_${newId().replaceAll('-', '')}`;
const folder = mkdtempSync(join(tmpdir(), 'exchange-rights-'));
const roles = { reader: ['read'], writer: ['readWrite'], owner: ['readWrite', 'dbAdmin'] } as const;

/** The address one of these users signs in with. */
const addressOf = (user: keyof typeof roles): string => {
  const address = new URL(inject('mongoUri'));
  Object.assign(address, { username: `${user}_of_${name}`, password: 'a-password' });
  return address.href;
};
const as = (user: keyof typeof roles, database = name) => ({
  MONGODB_URI: addressOf(user),
  MONGODB_DATABASE: database,
  LOG_LEVEL: 'silent',
});

beforeAll(async () => {
  for (const [user, granted] of Object.entries(roles)) {
    const own = granted.map((role) => ({ role, db: name }));
    await mongo.db('admin').command({ createUser: `${user}_of_${name}`, pwd: 'a-password', roles: own });
  }
});
afterAll(async () => {
  for (const user of Object.keys(roles)) await mongo.db('admin').command({ dropUser: `${user}_of_${name}` });
  await dropDatabase(mongo.db(name));
  await mongo.close();
  rmSync(folder, { recursive: true });
});

describe('a database user with readWrite and dbAdmin on the database', () => {
  it('can migrate and restore it, while read is enough to back it up and verify it, and doctor finds no fault', async () => {
    const file = join(folder, 'x.backup');
    for (const [command, args, user] of [
      [migrate, [], 'owner'],
      [backup, [file], 'reader'],
      [restore, [file, '--replace'], 'owner'],
      [doctor, ['--verify'], 'reader'],
    ] as const) {
      expect(await runCommand({ command, args: [...args], env: as(user) })).toMatchObject({ code: 0 });
    }
    const { code, stdout } = await runCommand({ command: doctor, args: [], env: as('owner') });
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/CHECK: the user/)]);
  });
});

describe('a database user lacking a privilege', () => {
  it.each([
    ['reader', 'may not write this database', 'readWrite'],
    ['writer', 'may not run collMod', 'dbAdmin'],
  ] as const)('is reported by doctor, with how to grant it: %s', async (user, lacks, role) => {
    const { code, stdout } = await runCommand({ command: doctor, args: [], env: as(user) });
    const grant = `db.getSiblingDB("admin").grantRolesToUser("${user}_of_${name}", [{ role: "${role}", db: "${name}" }])`;
    expect([code, stdout]).toEqual([0, expect.stringContaining(`CHECK: the user ${user}_of_${name} ${lacks}`)]);
    expect(stdout).toContain(grant);
  });

  it.each([
    ['restore', restore],
    ['doctor', doctor],
  ] as const)('is told in one sentence what it needs: %s', async (name, command) => {
    const file = join(folder, 'x.backup');
    const args = name === 'restore' ? [file] : [];
    const { code, stdout, stderr } = await runCommand({ command, args, env: as('owner', 'exchange_of_others') });
    const said = `refuses the service: not authorized on exchange_of_others to execute command ${name === 'restore' ? 'findAndModify' : 'find'}. MONGODB_URI must name a user with the roles readWrite and dbAdmin on the database exchange_of_others.`;
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(said)]);
    expect(stdout + stderr).not.toContain('lsid');
  });
});

describe('a service whose database user has readWrite and dbAdmin', () => {
  it('records events, keeps statistics and figure audits, and logs no warnings', async () => {
    const kept = { records: true, counts: true, audits: true, delivers: true };
    await using service = await startTestService({ uri: addressOf('owner'), database: name, ...kept });
    await vi.waitFor(
      async () => {
        for (const work of ['records events', 'keeps statistics', 'keeps figure audits'])
          expect(service.logged.map(({ msg }) => msg)).toContain(`this process ${work}`);
        expect(await collectionsWithoutImages(service.stores.db)).toEqual([]);
      },
      { timeout: 60_000 },
    );
    expect(service.logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });
});
