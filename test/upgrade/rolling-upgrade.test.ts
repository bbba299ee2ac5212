// Takes some seconds: three gateways start as processes of their own, one of which migrates.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Document, MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { FORM, MIGRATIONS } from '../../src/store/migrations/list.ts';
import { partsOfTexts } from '../../src/store/migrations/parts-of-texts.ts';
import { dropDatabase } from '../drop-database.ts';
import { type GatewayProcess, startGatewayProcess } from '../faults/gateway-process.ts';
import { putForm0 } from '../fixtures/form-0.ts';
import { LoadBalancer } from './load-balancer.ts';
import { startLoad, type TradeLoad } from './trade-load.ts';

const root = join(import.meta.dirname, '..', '..');
const database = `test_${newId().replaceAll('-', '')}`;
const mongo = new MongoClient(inject('mongoUri'));
const db = mongo.db(database);
const documents = db.collection<{ _id: string } & Document>('documents');
const gateways: GatewayProcess[] = [];
const balancer = new LoadBalancer();

/** Enough that their migration takes a while. */
const JOBS = 3_000;
const PATIENTLY = { timeout: 60_000, interval: 50 };

async function startBehindBalancer(): Promise<GatewayProcess> {
  const started = await startGatewayProcess(inject('mongoUri'), database, { METRICS_PORT: '0', DRAIN_SECONDS: '10' });
  gateways.push(started);
  balancer.add(started.url);
  await vi.waitFor(() => expect(balancer.isReady(started.url)).toBe(true), PATIENTLY);
  return started;
}

async function stop({ gateway }: GatewayProcess): Promise<unknown> {
  const exited = once(gateway, 'exit');
  gateway.kill('SIGTERM');
  return (await exited)[0];
}

/** Restores the form number and the documents to their state before the text parts. */
async function putFormWithoutParts(): Promise<void> {
  const number = MIGRATIONS.indexOf(partsOfTexts);
  await db.collection<{ _id: string }>('meta').updateOne({ _id: 'form' }, { $set: { number } });
  for (const name of ['organizations', 'catalog_records', 'documents']) {
    await db.collection(name).updateMany({}, { $unset: { parts: true } });
  }
}

/** A job as written by a gateway that knows no parts. */
async function writeAsBefore(refNumbers: readonly string[]): Promise<void> {
  const job = await documents.findOne({ type: /job/i, workspace: { $exists: true } });
  if (job === null) throw new Error('the fixture has no job');
  const { parts: _none, ...rest } = job;
  await documents.insertMany(
    refNumbers.map((refNumber) => ({ ...rest, _id: newId(), version_id: newId(), keys: {}, body: { refNumber } })),
  );
}

let old: GatewayProcess;
let load: TradeLoad | undefined;

beforeAll(async () => {
  await putForm0(db);
  old = await startBehindBalancer();
  const { text } = await balancer.send({ method: 'GET', path: '/workspaces?limit=1' });
  await putFormWithoutParts();
  await writeAsBefore(Array.from({ length: JOBS }, (_, index) => `BEFORE-${index}`));
  load = startLoad(balancer, JSON.parse(text)[0].id, 4);
});

afterAll(async () => {
  await load?.stop();
  balancer.stop();
  for (const { gateway } of gateways) if (gateway.exitCode === null) gateway.kill('SIGKILL');
  await dropDatabase(db);
  await mongo.close();
});

/** How many jobs the API finds by a part of their number. */
async function found(contains: string): Promise<number> {
  const query = `{ jobs(first: 1, where: { refNumber: { contains: "${contains}" } }) { totalCount } }`;
  const { text } = await balancer.send({ method: 'POST', path: '/graphql', body: { query } });
  return JSON.parse(text).data.jobs.totalCount;
}

/** Stops a load, and returns its results. */
async function endOf(running: TradeLoad | undefined): Promise<TradeLoad> {
  if (running === undefined) throw new Error('there is no load');
  await running.stop();
  return running;
}

describe('a rolling upgrade of two gateways', () => {
  it('fails no request while the database is migrated, and while gateways drain and stop', {
    timeout: 180_000,
  }, async () => {
    const form = async () =>
      (await db.collection<{ _id: string; number?: number }>('meta').findOne({ _id: 'form' }))?.number;
    await expect.poll(() => load?.answered, PATIENTLY).toBeGreaterThan(20);
    expect(await form()).toBe(MIGRATIONS.indexOf(partsOfTexts));
    const before = balancer.answeredBy(old.url);

    const first = await startBehindBalancer(); // migrates, then listens
    expect(await form()).toBe(FORM);
    expect(balancer.answeredBy(old.url)).toBeGreaterThan(before);
    await expect.poll(() => balancer.answeredBy(first.url), PATIENTLY).toBeGreaterThan(20);

    expect(await stop(old)).toBe(0);
    const second = await startBehindBalancer();
    await expect.poll(() => balancer.answeredBy(second.url), PATIENTLY).toBeGreaterThan(20);
    const { failures, answered, slowest } = await endOf(load);
    expect({ answered, slowest, failures }).toMatchObject({ failures: [] });
  });

  it('loses nothing that was acknowledged, and stores it once', async () => {
    const { created } = await endOf(load);
    expect(new Set(created).size).toBe(created.length);
    expect(await documents.countDocuments({ _id: { $in: created }, 'body.notes': 'changed' })).toBe(created.length);
    expect(await found('BEFORE-')).toBe(JOBS);
  });

  it('leaves what older gateways wrote after the migration to `migrate --again`', async () => {
    await writeAsBefore(['LATE-1', 'LATE-2']);
    expect(await found('LATE-')).toBe(0);
    const env = {
      ...process.env,
      MONGODB_URI: inject('mongoUri'),
      MONGODB_DATABASE: database,
      BASE_URL: '',
      LOG_LEVEL: 'info',
    };
    const { stdout } = await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'migrate', '--again'], {
      cwd: root,
      env,
    });
    expect(stdout).toContain(
      '"changed":2,"msg":"what older gateways have written has the stored form of this version"',
    );
    expect(await found('LATE-')).toBe(2);
  });
});
