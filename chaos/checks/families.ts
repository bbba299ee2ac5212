import { isAcknowledged } from '../ledger.ts';
import { idsOf } from './documents.ts';
import { describe, type Evidence, type Finding } from './evidence.ts';

const TYPES = ['job', 'qualityResult', 'timelog', 'loadPortInformation'].map((name) => `svc.inspection.${name}`);

/** How often a mark stands in the lists of one family. */
type Counts = ReadonlyMap<string, number>;

/** Every document that was acknowledged is told once by each family that shows it. */
export async function checkFamilies(evidence: Evidence): Promise<Finding[]> {
  const { intents, deleted, unsure } = evidence;
  const families = {
    v2: await listV2(evidence),
    legacy: await listLegacy(evidence),
    dataApi: await listDataApi(evidence),
  };
  const findings: Finding[] = [];
  for (const intent of intents) {
    const { claim, kind } = intent;
    if (claim.noun !== 'documents' || !isAcknowledged(intent) || kind === 'job, contested') continue;
    if ([...idsOf(intent), claim.parent ?? ''].some((id) => deleted.has(id) || unsure.has(id))) continue;
    const isJob = claim.parent === undefined;
    for (const mark of claim.marks) {
      const told = {
        v2: families.v2.get(mark) ?? 0,
        ...(isJob && { legacy: families.legacy.get(mark) ?? 0 }),
        ...(isJob && { dataApi: families.dataApi.get(mark) ?? 0 }),
      };
      for (const [family, count] of Object.entries(told)) {
        if (count === 1) continue;
        findings.push({
          kind: count === 0 ? 'lost' : 'doubled',
          text: `${mark} is told ${count} times by ${family}: ${describe(intent)}`,
        });
      }
    }
  }
  return findings;
}

async function listV2({ client, world }: Evidence): Promise<Counts> {
  const marks: string[] = [];
  for (const workspace of world.workspaces) {
    for (const type of TYPES) {
      const found = await client.ask('GET', `/v2/workspaces/${workspace}/documents?type=${type}&limit=1000000`);
      for (const { body } of found) marks.push(body.chaos);
    }
  }
  return countsOf(marks);
}

async function listLegacy({ client, world }: Evidence): Promise<Counts> {
  const marks: string[] = [];
  for (const workspace of world.workspaces) {
    for (const job of await client.ask('GET', `/workspaces/${workspace}/jobs`))
      marks.push(job.body?.chaos ?? job.chaos);
  }
  return countsOf(marks);
}

async function listDataApi({ client }: Evidence): Promise<Counts> {
  const found = await client.ask('GET', '/bridge/v1/data/jobs');
  return countsOf(found.map(({ body }: { body: { chaos: string } }) => body.chaos));
}

function countsOf(marks: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}
