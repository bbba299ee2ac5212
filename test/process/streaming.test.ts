// Takes 20 s: 100,000 jobs, as the rule says, are written once and read five times.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { putDemoPrincipals } from '../../src/demo/principals.ts';
import { insertTrade } from '../../src/demo/seed.ts';
import { DEMO_IDS, storedTrade } from '../../src/demo/stored-trade.ts';
import { tradeOf } from '../../src/demo/trade.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { AUDIT_PROJECTION } from '../../src/store/figure-audits/kept-audits.ts';
import { STATISTICS } from '../../src/store/statistics/counted-changes.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';
import { dropDatabase } from '../drop-database.ts';

const JOBS = 100_000;
/** The number of copies of each invented job. */
const COPIES = 50;
const ALLOWED_GROWTH = 64 * 1024 * 1024;
const root = join(import.meta.dirname, '..', '..');
const database = `test_${newId().replaceAll('-', '')}`;
let gateway: ChildProcess;
let url = '';
let stores: Stores;
const [workspace] = DEMO_IDS.workspaces;

beforeAll(async () => {
  stores = await connectStores({ uri: inject('mongoUri'), database });
  await putDemoPrincipals(stores, new Date());
  const trade = tradeOf({ seed: 1, jobs: JOBS / COPIES, reported: 0 });
  const inOneWorkspace = { ...trade, results: [], jobs: trade.jobs.map((job) => ({ ...job, workspace: 0 })) };
  const stored = storedTrade(stores, inOneWorkspace);
  const jobs = stored.documents.filter(({ type }) => type === JOB_TYPE);
  const copies = jobs.flatMap((job) => Array.from({ length: COPIES - 1 }, () => ({ ...job, _id: newId() })));
  await stores.db.collection('documents').dropIndexes(); // the gateway creates them as it starts, in a fraction of the time
  await insertTrade(stores, { ...stored, documents: [...stored.documents, ...copies] });
  // A gateway's own work on so many new jobs takes memory too, which is not measured here: another one does it.
  for (const lease of [STATISTICS.lease, AUDIT_PROJECTION.lease]) {
    const another = { holder: 'another gateway', until: new Date('2100-01-01') };
    await stores.db.collection<{ _id: string }>('leases').insertOne({ _id: lease, ...another });
  }
  const { BASE_URL: _vite, ...env } = process.env;
  const mongodb = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: database };
  const settings = { ...mongodb, ENVIRONMENT: 'demo', EVENTS: 'off', PORT: '0' };
  gateway = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of gateway.stdout ?? []) {
    said += chunk;
    url = /Ready: .* serves (http:\S+)/.exec(said)?.[1] ?? '';
    if (url) break;
  }
  gateway.stdout?.resume();
});

afterAll(async () => {
  gateway.kill('SIGKILL');
  await dropDatabase(stores.db);
  await stores.close();
});

/** The gateway's resident memory, in bytes. */
const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) * 1024;

/** The list cursors MongoDB has open for requests: only these are filtered by reader, unlike the gateway's own. */
const openLists = async (): Promise<number> => {
  const operations = { $currentOp: { allUsers: true, idleCursors: true } };
  const lists = { ns: `${database}.documents`, 'cursor.originatingCommand.filter.readers': { $exists: true } };
  const open = await stores.db.client
    .db('admin')
    .aggregate([operations, { $match: lists }])
    .toArray();
  return open.length;
};

const ask = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers: { Authorization: 'Bearer demo-client-key' } }, resolve).on('error', reject);
  });

const MARK = '"refNumber":';

/** Reads an answer to the end; returns the number of items by their ids, and the gateway's peak memory meanwhile. */
async function readThrough(response: IncomingMessage): Promise<{ items: number; peak: number; valid: boolean }> {
  let items = 0;
  let peak = 0;
  let first = '';
  let last = '';
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const text: string = rest + chunk;
    if (first === '') first = text[0] ?? '';
    last = text.at(-1) ?? '';
    items += text.split(MARK).length - 1;
    rest = text.slice(1 - MARK.length); // too short to hold a whole mark, long enough for a cut one
    peak = Math.max(peak, memory());
  }
  return { items, peak, valid: first === '[' && last === ']' };
}

describe(`a list of ${JOBS} jobs without a limit`, () => {
  it.each([
    ['legacy', () => `/workspaces/${workspace}/jobs`],
    ['v2', () => `/v2/workspaces/${workspace}/documents?type=svc.inspection.job&limit=2147483647`],
    ['the Data API', () => '/bridge/v1/data/jobs'],
  ])('%s streams within 64 MB of the idle memory', { retry: 2 }, async (_family, path) => {
    // Retried because a busy machine may delay the garbage collector, which is not measured here.
    await readThrough(await ask(`/workspaces/${workspace}/jobs?limit=30000`)); // so that the heap has its working size
    await sleep(500);
    const idle = memory();
    const { items, peak, valid } = await readThrough(await ask(path()));
    expect(valid).toBe(true);
    expect(items).toBe(JOBS);
    expect(peak - idle).toBeLessThan(ALLOWED_GROWTH);
  });

  it('sends its first byte before the last document is read, and waits for a slow client', async () => {
    const response = await ask(`/workspaces/${workspace}/jobs`);
    response.pause();
    const growth = async () => {
      const before = memory();
      await sleep(1_500);
      return memory() - before;
    };
    await expect.poll(growth, { timeout: 30_000 }).toBeLessThan(16 * 1024 * 1024);
    await expect.poll(openLists).toBe(1);
    const { items } = await readThrough(response);
    expect(items).toBe(JOBS);
  });

  it('closes its cursor when the client disconnects', async () => {
    const response = await ask(`/workspaces/${workspace}/jobs`);
    await new Promise((resolve) => response.once('data', resolve));
    response.pause(); // or it might have been read to the end by now
    await expect.poll(openLists).toBeGreaterThan(0);
    response.destroy();
    await expect.poll(openLists).toBe(0);
  });
});
