// May take 30 s: gateways are started as processes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { DEMO_KEYS } from '../../src/demo/principals.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { allCounted } from './all-counted.ts';
import { computedFigures, FIGURES } from './computed-figures.ts';
import { RandomReports } from './random-reports.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
// Vite sets its own BASE_URL.
const { BASE_URL: _url, ...inherited } = process.env;
let reports: RandomReports;
const service = serviceFixture({ sources: { now: () => reports?.now ?? new Date() } });
const running: ChildProcess[] = [];

/** A gateway that keeps the statistics of the service's database. */
async function startProjector(): Promise<ChildProcess> {
  const MONGODB_DATABASE = service.stores.db.databaseName;
  const env = { ...inherited, MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE, EVENTS: 'off', PORT: '0' };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  let isKeeping = false;
  createInterface(child.stdout).on('line', (line) => {
    if (line.includes('this process keeps statistics')) isKeeping = true;
  });
  await expect.poll(() => isKeeping, { timeout: 60_000 }).toBe(true);
  return child;
}

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

describe('a gateway killed while it keeps statistics', () => {
  it('counts nothing twice and loses nothing: the next one resumes where it was', async () => {
    const workspace = (await makeWorkspace(service)).id;
    reports = new RandomReports(service, [workspace], 11);
    const child = await startProjector();
    for (let i = 0; i < 25; i++) await reports.step();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    for (let i = 0; i < 10; i++) await reports.step();
    await exited;
    const leases = service.stores.db.collection<{ _id: string }>('leases');
    await leases.updateOne({ _id: 'statistics lease' }, { $set: { until: new Date(0) } });
    await startProjector();
    const [from, to] = [new Date('2025-01-01'), new Date('2027-01-01')];
    const period = `from: "${from.toISOString()}", to: "${to.toISOString()}"`;
    const query = `{ workspace(id: "${workspace}") { statistics(${period}) { ${FIGURES} } } }`;
    const readers = DEMO_KEYS.find(({ key }) => key === 'demo-client-key')?.tenant ?? '';
    const scope = { workspace, readers, from, to };
    const computed = JSON.parse(JSON.stringify(await computedFigures(service.stores.db, scope)));
    await allCounted(service);
    const { statistics } = (await service.graphql(query)).body.data.workspace;
    expect(statistics.completion).toEqual(computed.completion);
    expect(statistics.offSpecification.total).toEqual(computed.offSpecification.total);
    expect(statistics.jobs).toEqual(expect.arrayContaining(computed.jobs));
    expect(statistics.losses.routes.length).toBe(computed.losses.routes.length);
  }, 120_000);
});
