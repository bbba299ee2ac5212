import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Document, MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Verification, verify } from '../../src/verification/verify.ts';
import { putForm0 } from '../fixtures/form-0.ts';
import { startTestService, type TestService } from '../service.ts';

const client = new MongoClient(inject('mongoUri'));
const db = client.db(`test_${newId().replaceAll('-', '')}`);
const look = () => verify({ client, db, againMs: 0 });
const collection = (name: string) => db.collection<{ _id: string } & Document>(name);
let service: TestService;

beforeAll(async () => {
  await putForm0(db);
  service = await startTestService({ database: db.databaseName });
  const [workspace] = (await service.ask('GET', '/workspaces', { as: 'client' })).body;
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const { id } = (await service.ask('POST', jobs, { as: 'client', body: { refNumber: 'SHORT' } })).body;
  await service.ask('PATCH', `${jobs}/${id}`, { as: 'client', body: { refNumber: 'SHORT-2' } });
  await service.ask('DELETE', `${jobs}/${id}`, { as: 'client' });
});
afterAll(async () => {
  await service.stop();
  await db.dropDatabase();
  await client.close();
});

/** What is found when one document is changed; it is restored afterwards. */
async function foundAfter(name: string, filter: Document, change: Document): Promise<string[]> {
  const before = await collection(name).findOneAndUpdate(filter, change);
  if (!before) throw new Error(`there is nothing like that in ${name}`);
  const { findings } = await look();
  await collection(name).replaceOne({ _id: before._id }, before);
  return findings.map((finding) => `${finding.collection}: ${finding.fault}`);
}

/** The same with one document removed. */
async function foundWithout(name: string, filter: Document): Promise<string[]> {
  const before = await collection(name).findOneAndDelete(filter);
  if (!before) throw new Error(`there is nothing like that in ${name}`);
  const { findings } = await look();
  await collection(name).insertOne(before);
  return findings.map((finding) => `${finding.collection}: ${finding.fault}`);
}

describe('a verification', () => {
  it('reads everything, and finds nothing wrong in what the service wrote', async () => {
    const { read, findings } = await look();
    expect(findings).toEqual([]);
    expect(read).toEqual({
      organizations: 2,
      workspaces: 1,
      catalog_records: 19,
      synonyms: 1,
      documents: 23,
      attachments: 2,
      job_facts: 12,
      'fs.files': 2,
      reference_records: 4,
      tombstones: 1,
      audit_log: 1,
    });
  });

  it.each([
    [
      'a record that is not there',
      'catalog_records',
      { xtype: 'transports', name_key: 'mt petrel' },
      'no records of its workspace',
    ],
    ['a job that is not there', 'documents', { 'body.refNumber': 'KST-1' }, 'has the parent'],
    ['a workspace that is not there', 'workspaces', {}, 'which is not there'],
    ['an organization that is not there', 'organizations', { name_key: 'harbour surveys' }, 'has the party'],
    ['the file of an attachment', 'fs.files', { length: 1_500_000 }, 'has the file'],
    ['a chunk', 'fs.chunks', { n: 1 }, 'lacks the chunk 1 (1500000 bytes are 2 chunks of 1048576)'],
    ['the attachment of a file', 'attachments', {}, 'is a file that no attachment has'],
    [
      'a version',
      'versions',
      { 'body.refNumber': 'KST-1', revision: 1 },
      'is at revision 3, and of those before there are the revisions 2.',
    ],
    [
      'a version of what was deleted',
      'versions',
      { 'body.refNumber': 'SHORT' },
      'is at revision 2, and of those before there are the revisions none.',
    ],
    ['a reference record', 'reference_records', {}, 'records, and there are'],
    ['a record of a synonym', 'catalog_records', { name_key: 'antwerpen' }, 'links the record'],
  ])('finds what refers to %s', async (_what, name, filter, fault) => {
    expect(await foundWithout(name, filter)).toContainEqual(expect.stringContaining(fault));
  });

  it.each([
    [
      'keys that a write would not make',
      'documents',
      { 'keys.eta': { $exists: true } },
      { $unset: { 'keys.eta': '' } },
      'has the keys',
    ],
    [
      'references that the body does not have',
      'documents',
      { 'refs.1': { $exists: true } },
      { $pop: { refs: 1 } },
      'is stored as referring to',
    ],
    [
      'what is unique otherwise',
      'documents',
      { unique_for: { $exists: true } },
      { $set: { unique_for: 'x' } },
      'is unique for x',
    ],
    [
      'a parent that the body does not name',
      'documents',
      { parent_id: { $ne: null } },
      { $set: { 'body.parent': null } },
      'and its body says null',
    ],
    ['a type that is unknown', 'documents', {}, { $set: { type: 'unknown' } }, 'this version does not know'],
    [
      'readers that its workspace does not have',
      'documents',
      { workspace: { $not: /^tenant/ } },
      { $set: { readers: [] } },
      'has the readers (none), and its workspace',
    ],
    [
      'readers of a job without a workspace',
      'documents',
      { workspace: /^tenant/ },
      { $push: { readers: 'x' } },
      'is in the place of a tenant',
    ],
    ['readers of a workspace', 'workspaces', {}, { $pop: { readers: 1 } }, 'and its parties are'],
    ['names that nobody finds', 'organizations', {}, { $set: { name_key: 'x' } }, 'is found by the name "x"'],
    [
      'names that look otherwise',
      'organizations',
      {},
      { $set: { visible_key: 'x' } },
      'is compared with others as "x"',
    ],
    ['a chunk that is cut', 'fs.chunks', { n: 0 }, { $set: { data: Buffer.from('x') } }, 'has 1 bytes in the chunk 0'],
    ['chunks of no file', 'fs.chunks', { n: 0 }, { $set: { files_id: 'x' } }, 'are chunks of a file that is not there'],
    ['a digest of another file', 'attachments', {}, { $set: { 'file.sha256': 'x' } }, 'differs from its file'],
    ['totals that were not counted', 'reference_totals', {}, { $inc: { count: 1 } }, 'records, and there are'],
    [
      'an acceptance by a stranger',
      'workspaces',
      {},
      { $push: { accepted_by: 'x' } },
      'has x in accepted_by, which is no',
    ],
    [
      'a use that accepted nothing',
      'workspaces',
      {},
      { $set: { accepted_by: [] } },
      'in used_by, and not in accepted_by',
    ],
    [
      'a refusal of what is accepted',
      'workspaces',
      {},
      { $set: { declined_by: ['x'] } },
      'has x in declined_by, which',
    ],
    [
      'a version of what was deleted that never goes',
      'versions',
      { 'body.refNumber': 'SHORT' },
      { $unset: { expires_at: '' } },
      'which is kept for ever',
    ],
    ['an unknown action', 'audit_log', {}, { $set: { action: 'x' } }, 'has the action x'],
    [
      'a line of another time',
      'audit_log',
      {},
      { $set: { at: new Date(0) } },
      'is of 1970-01-01T00:00:00.000Z, and its id',
    ],
    ['a synonym of another catalog', 'synonyms', {}, { $set: { xtype: 'uom' } }, 'which is not in the catalog uom'],
  ])('finds %s', async (_what, name, filter, change, fault) => {
    expect(await foundAfter(name, filter, change)).toContainEqual(expect.stringContaining(fault));
  });

  it('finds nothing while the service writes, and changes nothing', async () => {
    const [workspace] = (await service.ask('GET', '/workspaces', { as: 'client' })).body;
    let writing = true;
    let written = 0;
    const writer = (async () => {
      for (let number = 0; writing; number++) {
        const body = { refNumber: `W-${number}`, transports: [{ name: `MT ${number}` }], eta: '2026-05-04' };
        const job = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
        await service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${job.body.id}`, {
          as: 'vendor',
          body: { status: 'active' },
        });
        await service.ask('PUT', `/api/rest/1.0/grades/W-${number}`, {
          as: 'client',
          body: {
            name: `G ${number}`,
            gradeTypeCode: 'NDP_DIESEL_FUELS',
            description: 'x',
            gradeStatusCode: 'ACTIVE',
            isSensitive: false,
          },
        });
        written = number + 1;
        if (number % 3 === 0)
          await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${job.body.id}`, { as: 'client' });
      }
    })();
    const found: Verification[] = [];
    for (let round = 0; round < 5 || (written < 3 && round < 500); round++)
      found.push(await verify({ client, db, againMs: 500 }));
    writing = false;
    await writer;
    expect(found.flatMap(({ findings }) => findings)).toEqual([]);
    expect(found.at(-1)?.read.documents).toBeGreaterThan(23);
  });
});

describe('npm run cli -- doctor --verify', () => {
  const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
  // Vite sets its own BASE_URL.
  const { BASE_URL: _url, ...inherited } = process.env;
  const env = { ...inherited, MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: db.databaseName };
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [cli, 'doctor', ...args], { env });

  it('prints what it read and that everything is consistent', async () => {
    const { stdout } = await run('--verify');
    expect(stdout).toMatch(/^organizations +2$/m);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('No problems found.');
  });

  it('prints inconsistencies, and exits with 1', async () => {
    await collection('reference_totals').updateOne({}, { $inc: { count: 1 } });
    const failureOf = (...args: string[]) => run(...args).catch((error: { code: number; stdout: string }) => error);
    const [failure, asJson] = await Promise.all([failureOf('--verify'), failureOf('--verify', '--json')]);
    expect(failure).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^reference_totals \S+ says \d+ records, and there are \d+\.\n1 problem found\.$/m),
    });
    expect(asJson).toMatchObject({ code: 1 });
    expect(JSON.parse(asJson.stdout).findings).toHaveLength(1);
  });

  it('refuses unknown arguments', async () => {
    await expect(run('--verfy')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--verfy is not expected'),
    });
  });
});
