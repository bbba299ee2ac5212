import { beforeAll, expect, it } from 'vitest';
import { COMMANDS, type CommandTime, measureCommands } from '../../src/store/connection/command-times.ts';
import type { StoredAudit } from '../../src/store/figure-audits/kept-audit.ts';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../service.ts';
import { misjudgedJobs } from './kept-and-wanted.ts';
import { VoyageMaker } from './voyage-maker.ts';

/** How many records are linked into one, and how many links are made at once. */
const [LINKED, AT_ONCE] = [40, 8];
/** The job whose figures are unlike all others. */
const ODD = 17;

const service = serviceFixture({ audits: true });
const workspace = workspaceFixture(service);
let voyages: VoyageMaker;

beforeAll(async () => {
  await service.stores.audits.freshness.passed();
  voyages = new VoyageMaker(service, workspace.id);
});

/** The kept audits of jobs whose ship and shore are compared, and of those that break the rule of the vessel. */
async function kept() {
  await service.stores.audits.freshness.passed();
  expect(await misjudgedJobs(service)).toEqual([]);
  const audits = service.stores.db.collection<StoredAudit>('job_audits');
  return {
    compared: (await audits.distinct('_id', { compared: true })).sort(),
    broken: await audits.distinct('_id', { 'findings.rule': 'SHIP_SHORE_FACTOR' }),
  };
}

it('a job that names a vessel and its synonym is audited as of one vessel while they are linked', async () => {
  const ratios = [1, 1, 1, 1, 1, 1.05];
  const jobs: string[] = [];
  for (const ratio of ratios) jobs.push(await voyages.voyage(ratio, ['Aster', 'MT Aster']));
  const twice = await voyages.voyage(1, ['Aster', 'Aster']);
  expect(await kept()).toEqual({ compared: [twice], broken: [] });

  const { body } = await service.graphql('query J($id: UUID!) { job(id: $id) { transports { id } } }', { id: jobs[0] });
  const [vessel, synonym] = body.data.job.transports;
  const link = `/v2/workspaces/${workspace.id}/xrefs/transports/${vessel.id}/synonyms/${synonym.id}`;
  expect((await service.ask('POST', link, { as: 'vendor' })).status).toBeLessThan(300);
  expect(await kept()).toEqual({ compared: [...jobs, twice].sort(), broken: [jobs[5]] });

  expect((await service.ask('DELETE', link, { as: 'vendor' })).status).toBe(200);
  expect(await kept()).toEqual({ compared: [twice], broken: [] });
});

const broken = (rule: string): Promise<string[]> =>
  service.stores.db.collection<StoredAudit>('job_audits').distinct('_id', { 'findings.rule': rule });

const OF_TRANSPORT = (name: string) => ({ transports: [{ name }] });
const OF_PRODUCT = (name: string) => ({ cargo: { product: { name } } });

/** Two jobs with figures for each record, and one without; returns the odd one. */
async function makeJobs(make: VoyageMaker, of: typeof OF_TRANSPORT | typeof OF_PRODUCT): Promise<string> {
  const jobs: string[] = [];
  for (let i = 0; i < 3 * LINKED; i++) {
    const job = await make.put('job', { status: 'complete', activity: 'discharge', ...of(`No. ${i % LINKED}`) });
    jobs.push(job);
    if (i >= 2 * LINKED) continue;
    const [ship, waterPerc] = i === ODD ? [1_020, 0.5] : [1_000, 0.01];
    for (const [direction, value] of Object.entries({ source: ship, destination: 1_000 })) {
      const measurements = [{ code: 'TCV', value, uom: { name: 'm3' } }];
      await make.put('quantityResult', { parent: job, direction, measurements, waterPerc });
    }
  }
  await service.stores.audits.freshness.passed();
  return jobs[ODD] ?? '';
}

/** Links all records of a catalog with the first one. */
async function linkAll(path: string): Promise<void> {
  const { body } = await service.ask('GET', `${path}?limit=${LINKED}`, { as: 'vendor' });
  const [first, ...others] = body.map(({ id }: { readonly id: string }) => id) as string[];
  expect(others.length).toBe(LINKED - 1);
  const link = async (id: string) => {
    const { status, text } = await service.ask('POST', `${path}/${first}/synonyms/${id}`, { as: 'vendor' });
    expect(status, text).toBe(201);
  };
  for (let at = 0; at < others.length; at += AT_ONCE) await Promise.all(others.slice(at, at + AT_ONCE).map(link));
}

/** The commands that read documents and kept audits until these have caught up with the work. */
async function looksDuring(work: () => Promise<void>): Promise<readonly string[]> {
  const looks: string[] = [];
  const note = (command: unknown): void => {
    const { name, collection, database } = command as CommandTime;
    const isLook = name === 'aggregate' || collection === 'documents' || collection === 'job_audits';
    if (database === service.stores.db.databaseName && isLook) looks.push(name);
  };
  measureCommands();
  COMMANDS.subscribe(note);
  try {
    await work();
    await service.stores.audits.freshness.passed();
  } finally {
    COMMANDS.unsubscribe(note);
  }
  return looks;
}

it.each([
  ['transports', OF_TRANSPORT, 'SHIP_SHORE_FACTOR'],
  ['products', OF_PRODUCT, 'PERCENTAGE_HISTORY'],
] as const)('%s linked into one are audited together, not each with all others', async (catalog, of, rule) => {
  const { id } = await makeWorkspace(service);
  const odd = await makeJobs(new VoyageMaker(service, id), of);
  const before = await broken(rule);
  const looks = await looksDuring(() => linkAll(`/v2/workspaces/${id}/xrefs/${catalog}`));
  expect(looks.length).toBeLessThan(4 * LINKED);
  // What the records share is read once or twice in each batch of changes.
  expect(looks.filter((name) => name === 'aggregate').length).toBeLessThan(LINKED / 2);
  const after = await broken(rule);
  expect(after).not.toEqual(before);
  expect(after).toContain(odd);
  expect(await misjudgedJobs(service)).toEqual([]);
});
