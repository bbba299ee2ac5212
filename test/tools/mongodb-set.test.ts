// Needs mongosh on the PATH, and is skipped without it.
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { bareMongod } from '../bare-mongod.ts';

const scripts = join(import.meta.dirname, '..', '..', 'deploy', 'mongodb');
const folder = mkdtempSync(join(tmpdir(), 'exchange-set-'));
const secretOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
let host = '';
let options = '';
let stop = async () => {};

beforeAll(async () => {
  const port = await freePort();
  host = `127.0.0.1:${port}`;
  const certificate = makeCertificate();
  options = `tls=true&tlsCAFile=${certificate}`;
  execFileSync('bash', [join(scripts, 'make-secrets.sh'), folder, host, options]);
  if (process.getuid?.() === 0) execFileSync('chown', ['0:0', join(folder, 'keyfile')]); // mongod needs its own
  mkdirSync(join(folder, 'db'));
  const args = ['--replSet', 'rs0', '--keyFile', join(folder, 'keyfile'), '--tlsMode', 'requireTLS'];
  args.push('--tlsCertificateKeyFile', certificate, '--tlsCAFile', certificate);
  stop = await bareMongod(join(folder, 'db'), port, [...args, '--tlsAllowConnectionsWithoutCertificates']);
});
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

/** A self-signed certificate with its key. */
function makeCertificate(): string {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const names = ['-subj', '/CN=member', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names, ...made], { stdio: 'ignore' });
  appendFileSync(certificate, readFileSync(key));
  return certificate;
}

const isInstalled = (): boolean => {
  try {
    execFileSync('mongosh', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const initiate = (secrets = folder) =>
  promisify(execFile)('mongosh', ['--quiet', '--nodb', join(scripts, 'initiate.js')], {
    env: { ...process.env, HOME: folder, MONGODB_HOSTS: host, MONGODB_SECRETS: secrets, MONGODB_OPTIONS: options },
  });

async function withAdmin<T>(work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(secretOf('admin-uri'));
  return work(client).finally(() => client.close());
}
const rolesOf = (user: string) =>
  withAdmin(async (client) => {
    const { users } = await client.db('admin').command({ usersInfo: user });
    return (users[0].roles as { role: string; db: string }[]).map(({ role, db }) => `${role} ${db}`).sort();
  });
const OWN = ['dbAdmin', 'readWrite'].flatMap((role) =>
  ['inspection_exchange', 'inspection_exchange_demo'].map((db) => `${role} ${db}`),
);

describe.skipIf(!isInstalled())('the MongoDB set of compose.yaml, here with members that require TLS', () => {
  it('has a gateway limited to its own databases, and operators who may do everything', async () => {
    expect((await initiate()).stdout).toMatch(/^The set: made\n.*gateway: made\n.*operators: made\n$/);
    expect([await rolesOf('exchange'), await rolesOf('admin')]).toEqual([OWN, ['root admin']]);
    const window = { setParameter: 1, minSnapshotHistoryWindowInSeconds: 600 };
    expect(await withAdmin((client) => client.db('admin').command(window))).toMatchObject({ ok: 1 });
    const gateway = await MongoClient.connect(secretOf('uri'));
    await gateway.db('inspection_exchange').collection('notes').insertOne({});
    await expect(gateway.db('elsewhere').collection('notes').insertOne({})).rejects.toThrow('not authorized');
    await gateway.close();
    expect((await initiate()).stdout).toMatch(/^The set: there already\n.*there already\n.*there already\n$/);
  }, 120_000);

  it('gets operators, and a gateway with fewer privileges, when created by an earlier version', async () => {
    await withAdmin(async (client) => {
      const admin = client.db('admin');
      const roles = ['readWriteAnyDatabase', 'dbAdminAnyDatabase', 'clusterMonitor'];
      await admin.command({ updateUser: 'exchange', roles });
      await admin.command({ dropUser: 'admin' });
    });
    expect((await initiate()).stdout).toMatch(/gateway: there already, now with .* alone\n.*operators: made\n$/);
    expect([await rolesOf('exchange'), await rolesOf('admin')]).toEqual([OWN, ['root admin']]);
  }, 120_000);

  it('says which users to create if the key is not that of the members', async () => {
    const wrong = join(folder, 'wrong');
    mkdirSync(wrong);
    writeFileSync(join(wrong, 'keyfile'), 'another-key');
    chmodSync(join(wrong, 'keyfile'), 0o400);
    await expect(initiate(wrong)).rejects.toMatchObject({
      stderr: expect.stringMatching(/does not know the key in .*"exchange":\[.*"admin":\[/),
    });
  }, 120_000);
});
