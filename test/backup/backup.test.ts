// May take 20 s: each command is a process of its own.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Db, type Document, MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { NOT_KEPT, TRAILER_BYTES, trailerOf } from '../../src/backup/archive.ts';
import { FORM } from '../../src/store/migrations/list.ts';
import { connectStores } from '../../src/store/stores.ts';
import { verify } from '../../src/verification/verify.ts';
import { serviceFixture, startTestService, workspaceFixture } from '../service.ts';

const BULK = 200;
const client = new MongoClient(inject('mongoUri'));
const freshDb = () => client.db(`test_${newId().replaceAll('-', '')}`);
const source = freshDb();
const restored = freshDb();
const folder = mkdtempSync(join(tmpdir(), 'exchange-backup-'));
const fileOf = (name: string) => join(folder, name);
const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
// Vite sets its own BASE_URL.
const { BASE_URL: _url, ...inherited } = process.env;
const look = (db: Db) => verify({ client, db, againMs: 0 });

async function run(db: Db, ...args: string[]) {
  const env = { ...inherited, MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: db.databaseName };
  const outcome = await promisify(execFile)(process.execPath, [cli, ...args], { env }).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code: 'code' in outcome ? outcome.code : 0, stdout: outcome.stdout, stderr: outcome.stderr };
}

/** A digest of each collection in a backup. */
async function digests(db: Db): Promise<Record<string, string>> {
  const { collections } = await db.command({ dbHash: 1 });
  return Object.fromEntries(
    Object.entries(collections as Record<string, string>).filter(([name]) => !NOT_KEPT.has(name)),
  );
}

const service = serviceFixture({ database: source.databaseName, records: true });
const workspace = workspaceFixture(service);
afterAll(async () => {
  await source.dropDatabase();
  await restored.dropDatabase();
  await client.close();
  rmSync(folder, { recursive: true });
});

/** Writes of every kind, until told to stop. */
function write() {
  const { id } = workspace;
  let isWriting = true;
  const counts = { rounds: 0, writes: 0 };
  const ask: typeof service.ask = async (...request) => {
    const answer = await service.ask(...request);
    counts.writes += 1;
    return answer;
  };
  const sender = async (sort: number) => {
    for (let number = 0; isWriting; number++) {
      const body = { refNumber: `${sort}-${number}`, transports: [{ name: `MT ${number % 20}` }], eta: '2026-05-04' };
      const job = await ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body });
      const path = `/workspaces/${id}/jobs/${job.body.id}`;
      const bulk = Array.from({ length: BULK }, (_, index) => ({
        ...body,
        xref: `bulk ${sort} ${number}`,
        notes: `${index}`,
      }));
      const documents = { type: 'svc.inspection.job', body: bulk };
      if (number % 3 === 0) await ask('POST', `/v2/workspaces/${id}/documents/bulk`, { as: 'vendor', body: documents });
      const bytes = Buffer.alloc(1_200_000, `${sort} ${number} `);
      const form = new FormData();
      form.set('description', createHash('sha256').update(bytes).digest('hex'));
      form.set('file', new Blob([bytes]), 'report.pdf');
      const headers = { Authorization: 'Bearer demo-vendor-key' };
      await fetch(`${service.url}/v2/workspaces/${id}/documents/${job.body.id}/attachments`, {
        method: 'POST',
        headers,
        body: form,
      });
      for (const status of ['active', 'complete']) await ask('PATCH', path, { as: 'vendor', body: { status } });
      const grade = {
        name: `G${number}`,
        gradeTypeCode: 'NDP_DIESEL_FUELS',
        description: 'x',
        gradeStatusCode: 'ACTIVE',
      };
      const reference = { ...grade, isSensitive: false };
      await ask('PUT', `/api/rest/1.0/grades/${sort}-${number % 7}`, { as: 'client', body: reference });
      if (number % 4 === 3) await ask('DELETE', path, { as: 'client' });
      counts.rounds += 1;
    }
  };
  const senders = Promise.all([1, 2, 3].map(sender));
  return {
    counts,
    end: () => {
      isWriting = false;
      return senders;
    },
  };
}

describe('a backup taken while the service writes', () => {
  const file = fileOf('busy.backup');

  it('is a consistent snapshot: bulks are whole, versions have no gaps, files are as sent', async () => {
    const writing = write();
    await expect.poll(() => writing.counts.rounds, { timeout: 60_000 }).toBeGreaterThan(6);
    const before = writing.counts.writes;
    const taken = await run(source, 'backup', file);
    const during = writing.counts.writes - before;
    await writing.end();
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining(`stored form ${FORM}`) });
    expect(during).toBeGreaterThan(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['busy.backup']); // no draft is left

    expect(await run(restored, 'restore', file)).toMatchObject({
      code: 0,
      stderr: expect.not.stringMatching(/error|warn/i),
    });
    const { findings } = await look(restored);
    expect(findings).toEqual([]);
    const bulks = await restored
      .collection('documents')
      .aggregate([{ $match: { 'body.xref': /^bulk/ } }, { $group: { _id: '$body.xref', count: { $sum: 1 } } }])
      .toArray();
    expect(bulks.length).toBeGreaterThan(2);
    expect(bulks.filter(({ count }) => count !== BULK)).toEqual([]);
  });

  it('holds every file as it was sent', async () => {
    await using again = await startTestService({ database: restored.databaseName });
    const attachments = await restored.collection<{ _id: string } & Document>('attachments').find({}).toArray();
    expect(attachments.length).toBeGreaterThan(5);
    for (const { _id, parent_id, body } of attachments) {
      const path = `/v2/workspaces/${workspace.id}/documents/${parent_id}/attachments/${_id}/content`;
      const answer = await fetch(`${again.url}${path}`, { headers: { Authorization: 'Bearer demo-client-key' } });
      const digest = createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex');
      expect({ _id, digest }).toEqual({ _id, digest: body.description });
    }
  });
});

describe('a restore', () => {
  const file = fileOf('quiet.backup');

  it('brings back exactly what there was: every document, and the report of doctor --verify', async () => {
    const before = { digests: await digests(source), verified: await run(source, 'doctor', '--verify') };
    expect(await run(source, 'backup', file)).toMatchObject({ code: 0 });
    expect(await run(restored, 'restore', file, '--replace')).toMatchObject({ code: 0 });
    const restoring = { action: 'database.restored', tenant: null, operation: 'cli restore' };
    const removed = await restored.collection('audit_log').findOneAndDelete(restoring);
    expect(removed).toMatchObject({ outcome: 'success', principal: { id: null } });
    expect({ digests: await digests(restored), verified: await run(restored, 'doctor', '--verify') }).toEqual(before);
    expect(before.verified.stdout).toContain('No problems found.');
  });

  it('lets subscriptions continue: documents get events, with unused numbers', async () => {
    const events = restored.collection('events');
    const newest = async () => (await events.findOne({}, { sort: { sequence: -1 } }))?.sequence ?? 0;
    const before = await newest();
    expect(before).toBeGreaterThan(0);
    await using again = await startTestService({ database: restored.databaseName, records: true });
    const [{ id }] = (await again.ask('GET', '/workspaces', { as: 'client' })).body;
    const made = await again.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { refNumber: 'AFTER' } });
    await expect.poll(() => events.countDocuments({ document: made.body.id })).toBe(1);
    expect(await newest()).toBeGreaterThan(before + 900_000);
    expect(await events.countDocuments({ sequence: { $gt: before } })).toBe(1); // nothing is reported twice
  });

  it('refuses a non-empty database, and one in use by a service, and changes nothing', async () => {
    const before = await digests(source);
    const refused = await run(source, 'restore', file, '--replace');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/A service works on the database.*Stop every gateway/),
    });
    const full = await run(restored, 'restore', file);
    expect(full).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is not empty: it has .*documents.*--replace/),
    });
    expect(await digests(source)).toEqual(before);
  });

  it.each([
    [
      'damaged',
      (bytes: Buffer) => bytes.fill(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1, (bytes.length >> 1) + 1),
    ],
    ['damaged', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['damaged', (bytes: Buffer) => bytes.subarray(0, bytes.indexOf('\n') + 20)],
    ['not a backup', () => Buffer.from('x'.repeat(1_000))],
    ['not a backup', () => Buffer.alloc(0)],
    [
      'newer version of the service',
      (bytes: Buffer) => {
        const text = bytes.subarray(0, -TRAILER_BYTES).toString('latin1');
        const changed = Buffer.from(text.replace(`"form":${FORM}`, `"form":${FORM + 1}`), 'latin1');
        return Buffer.concat([changed, Buffer.from(trailerOf(createHash('sha256').update(changed).digest('hex')))]);
      },
    ],
  ])('refuses a file that is %s, and changes nothing', async (fault, change) => {
    const bad = fileOf(`bad-${newId()}`);
    writeFileSync(bad, change(readFileSync(file)));
    const before = await digests(restored);
    const refused = await run(restored, 'restore', bad, '--replace');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(fault) });
    expect(await digests(restored)).toEqual(before);
  });

  it('leaves a mark when interrupted: nothing starts on it until the restore is run again', async () => {
    const meta = restored.collection<{ _id: string } & Document>('meta');
    await meta.insertOne({ _id: 'restore', file, started_at: new Date() });
    const start = connectStores({ uri: inject('mongoUri'), database: restored.databaseName });
    await expect(start).rejects.toThrow(/is half restored: the restore of .*run it again with --replace/);
    expect(await run(restored, 'backup', fileOf('half.backup'))).toMatchObject({ code: 1 });
    expect(await run(restored, 'restore', file, '--replace')).toMatchObject({ code: 0 });
    await (await connectStores({ uri: inject('mongoUri'), database: restored.databaseName })).close();
  });
});
