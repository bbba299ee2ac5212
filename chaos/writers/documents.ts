import { setTimeout as sleep } from 'node:timers/promises';
import type { Wish } from '../client.ts';
import type { Job, World } from '../world.ts';

const QUALITY = 'svc.inspection.qualityResult';

const quality = (job: Job, mark: string, test: string) => ({
  parent: job.id,
  status: 'preliminary',
  setNumber: 1,
  sample: { location: 'SHIP' },
  test: { name: test },
  method: { name: 'ASTM D4052' },
  uom: { name: 'kg/m3' },
  result: '845.3',
  chaos: mark,
});

/** A result of some kind for a job, sometimes with a record that is new. */
export async function createResult(world: World): Promise<void> {
  const { client, random } = world;
  const job = jobOf(world);
  if (!job) return;
  const mark = world.mark('result');
  const kinds = [
    { noun: 'quality', body: quality(job, mark, random.chance(0.5) ? world.mark('Test') : 'Density') },
    { noun: 'timelog', body: { type: { name: 'All fast' }, category: 'event', start: '2026-05-04T06:10:00Z' } },
    { noun: 'load-port-information', body: { portOfLoading: { name: world.mark('Port') } } },
  ];
  const { noun, body } = random.pick(kinds);
  await client.perform({
    kind: `${noun} by legacy`,
    claim: { noun: 'documents', marks: [mark], parent: job.id },
    method: 'POST',
    path: `/workspaces/${job.workspace}/jobs/${job.id}/${noun}`,
    body: { ...body, chaos: mark },
    as: 'vendor',
  });
}

/** Many results in one call: all of them or none. */
export async function createBulk(world: World): Promise<void> {
  const { client, random } = world;
  const job = jobOf(world);
  if (!job) return;
  const test = random.chance(0.5) ? world.mark('Test') : 'Density';
  const marks = Array.from({ length: random.whole(2, 40) }, () => world.mark('bulk'));
  await client.perform({
    kind: 'bulk',
    claim: { noun: 'documents', marks, parent: job.id },
    method: 'POST',
    path: `/v2/workspaces/${job.workspace}/documents/bulk`,
    body: { type: QUALITY, body: marks.map((mark) => quality(job, mark, test)) },
    as: 'vendor',
  });
}

/** Changes of a job, one after the other: with If-Match, with previous_version_id, or as it is. */
export async function changeJob(world: World): Promise<void> {
  const { client, random } = world;
  const mark = world.mark('changed');
  const workspace = random.pick(world.workspaces);
  const body = { type: 'svc.inspection.job', body: { refNumber: mark, chaos: mark } };
  const claim = { noun: 'documents', marks: [mark] } as const;
  const path = `/v2/workspaces/${workspace}/documents`;
  const made = await client.perform({ kind: 'job by v2', claim, method: 'POST', path, body });
  let version: string | undefined = made?.body?.version_id;
  for (let i = 0; i < 6 && made?.status === 201; i++) {
    const answer = await client.perform(changeOf(world, { id: made.body.id, workspace }, version));
    if (!answer) return;
    version = answer.status < 300 ? answer.body.version_id : undefined; // else it is changed as it is
  }
}

function changeOf(world: World, { id, workspace }: Job, version: string | undefined): Wish {
  const mark = world.mark('change');
  const way = version === undefined ? 'as it is' : world.random.pick(['as it is', 'If-Match', 'previous_version_id']);
  const vessels = world.random.chance(0.3) ? { transports: [{ name: world.mark('MT') }] } : {};
  return {
    kind: `change, ${way}`,
    claim: { noun: 'change', entity: id, mark },
    method: 'PATCH',
    path: `/v2/workspaces/${workspace}/documents/${id}`,
    body: {
      body: { change: mark, ...vessels },
      ...(way === 'previous_version_id' && { previous_version_id: version }),
    },
    ...(way === 'If-Match' && { headers: { 'If-Match': `"${version}"` } }),
  };
}

/** A job with results below it is deleted, sometimes while another result is on its way. */
export async function deleteJob(world: World): Promise<void> {
  const { client, random } = world;
  const workspace = random.pick(world.workspaces);
  const mark = world.mark('doomed');
  const path = `/v2/workspaces/${workspace}/documents`;
  const made = await client.perform({
    kind: 'job by v2',
    claim: { noun: 'documents', marks: [mark] },
    method: 'POST',
    path,
    body: { type: 'svc.inspection.job', body: { refNumber: mark, chaos: mark } },
  });
  if (made?.status !== 201) return;
  const job = { id: made.body.id, workspace };
  const below = async (): Promise<void> => {
    const name = world.mark('below');
    await client.perform({
      kind: 'quality by legacy',
      claim: { noun: 'documents', marks: [name], parent: job.id },
      method: 'POST',
      path: `/workspaces/${workspace}/jobs/${job.id}/quality`,
      body: quality(job, name, 'Density'),
      as: 'vendor',
    });
  };
  await below();
  const late = below();
  await sleep(random.whole(0, 15));
  const claim = { noun: 'deletion', entity: job.id } as const;
  await Promise.all([late, client.perform({ kind: 'deletion', claim, method: 'DELETE', path: `${path}/${job.id}` })]);
}

/** One of the jobs that stay, the newer the likelier. */
export function jobOf({ jobs, random }: World): Job | undefined {
  return jobs.length === 0 ? undefined : random.pick(jobs.slice(-50));
}
