import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../service.ts';

const run = promisify(execFile);
const examples = join(import.meta.dirname, '..', '..', 'examples');

const service = serviceFixture();

beforeAll(async () => {
  await makeWorkspace(service);
});

const runExample = (env: Readonly<Record<string, string>> = {}) =>
  run('bash', [join(examples, 'inspection.sh')], { env: { ...process.env, EXCHANGE_URL: service.url, ...env } });
const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';

describe('examples/inspection.sh', () => {
  it('runs a whole inspection, which inspection.graphql shows in one query', async () => {
    const { stdout, stderr } = await runExample();
    const counts = [...stderr.matchAll(/^ {4}(\S+): (\d+)$/gm)].map(([, noun, count]) => [noun, Number(count)]);
    expect(counts).toEqual([
      ['timelog', 15],
      ['load-port-information', 1],
      ['quantity', 2],
      ['quality', 4],
      ['files', 1],
    ]);
    const query = readFileSync(join(examples, 'inspection.graphql'), 'utf8');
    for (const party of ['client', 'vendor'] as const) {
      const { body } = await service.graphql(query, { job: lastLine(stdout) }, party);
      expect(body.errors).toBeUndefined();
      expectPicture(body.data);
    }
    const { body } = await service.graphql(query, { job: lastLine(stdout) }, 'stranger');
    expect([body.data ?? null, body.errors[0].extensions.code]).toEqual([null, 'FORBIDDEN']);
  });

  it('can be rerun in the same workspace: the records are found, not created twice', async () => {
    const records = () => service.stores.db.collection('catalog_records').countDocuments();
    const first = lastLine((await runExample()).stdout);
    const before = await records();
    expect(lastLine((await runExample()).stdout)).not.toBe(first);
    expect(await records()).toBe(before);
  });

  it('stops at the first refusal, and says why', async () => {
    const failed = await runExample({ VENDOR_KEY: 'demo-observer-key' }).catch((error) => error);
    expect(failed.code).not.toBe(0);
    expect(failed.stdout).toBe('');
    const refused = await runExample({ WORKSPACE: '0190a000-0000-7000-8000-000000000000' }).catch((error) => error);
    expect(refused.stderr).toContain('NOT_FOUND');
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the picture is looked at member by member
function expectPicture({ job, timeLog, quality }: any): void {
  expect(job).toMatchObject({
    xref: 'HS-2041',
    status: 'complete',
    activity: 'discharge',
    location: { name: 'Rotterdam', xref: 'NLRTM' },
    transports: [{ name: 'MT Petrel', xref: '9074729' }],
    cargo: { product: { name: 'Gas oil 0.1%' }, quantity: 30000, uom: { name: 'MT' } },
    loadPortInformation: [{ portOfLoading: { name: 'Ras Tanura' }, measurements: [{ name: 'GSV', value: 35480.2 }] }],
    attachments: [{ caption: 'certificate-of-quality.txt', format: 'text/plain' }],
  });
  expect(job.history).toHaveLength(3);
  expect(job.quantityResults.map(({ direction }: { direction: string }) => direction).sort()).toEqual([
    'destination',
    'source',
  ]);
  expect(timeLog.totalCount).toBe(15);
  expect(timeLog.nodes[0].eventType).toEqual({ name: 'End of sea passage', xref: 'EOSP' });
  const delays = timeLog.nodes.filter(({ category }: { category: string }) => category === 'delay');
  expect(delays.map(({ notes }: { notes: string }) => notes)).toEqual(['Waiting for the berth', 'Shore tank changed']);
  const rows = quality.nodes.map((node: Record<string, unknown> & { test: { name: string } }) => [
    node.setNumber,
    node.test.name,
    node.result,
    node.status,
    node.isOffSpec,
  ]);
  expect(rows).toEqual([
    [1, 'Density at 15 °C', '845.3', 'confirmed', false],
    [1, 'Flash point', '66.5', 'confirmed', false],
    [1, 'Sulfur', '1080', 'preliminary', true],
    [2, 'Sulfur', '962', 'confirmed', false],
  ]);
  expect(quality.nodes[3].test.synonyms.map(({ name }: { name: string }) => name)).toEqual(['Sulphur content']);
}
