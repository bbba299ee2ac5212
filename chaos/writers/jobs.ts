import type { Wish } from '../client.ts';
import type { Job, World } from '../world.ts';

const PRODUCTS = ['Gas oil', 'Naphtha', 'Jet A-1', 'Crude'] as const;
/** How many jobs are asked for at once, so that their inserts are joined. */
const JOINED = 12;
/** A few names that many ask for at the same moment: each must become one record. */
const SHARED_VESSELS = 8;

const v2Job = (workspace: string, mark: string, body: object): Wish => ({
  kind: 'job by v2',
  claim: { noun: 'documents', marks: [mark] },
  method: 'POST',
  path: `/v2/workspaces/${workspace}/documents`,
  body: { type: 'svc.inspection.job', body: { ...body, chaos: mark } },
});

/** A job by v2 or legacy, with records that exist, that are new, or that others ask for at the same moment. */
export async function createJob(world: World): Promise<void> {
  const { client, random } = world;
  const workspace = random.pick(world.workspaces);
  const mark = world.mark('job');
  const vessel = random.chance(0.3)
    ? { name: world.mark('MT') }
    : { name: `MT Shared ${random.whole(1, SHARED_VESSELS)}` };
  const body = {
    refNumber: mark,
    status: 'pending',
    transports: [vessel],
    cargo: { product: { name: random.pick(PRODUCTS) }, quantity: 100.5 },
  };
  const legacy: Wish = {
    kind: 'job by legacy',
    claim: { noun: 'documents', marks: [mark] },
    method: 'POST',
    path: `/workspaces/${workspace}/jobs`,
    body: { ...body, chaos: mark },
  };
  keep(world, workspace, await client.perform(random.chance(0.5) ? v2Job(workspace, mark, body) : legacy));
}

/** Many jobs at once on one gateway, which joins their inserts. */
export async function createJoinedJobs(world: World): Promise<void> {
  const { client, random } = world;
  const workspace = random.pick(world.workspaces);
  const first = random.pick(client.gateways);
  await Promise.all(
    Array.from({ length: JOINED }, async () => {
      const mark = world.mark('joined');
      const wish = { ...v2Job(workspace, mark, { refNumber: mark }), kind: 'job, joined', first };
      keep(world, workspace, await client.perform(wish));
    }),
  );
}

/** A job by the Data API, in Shape B. */
export async function createDataApiJob(world: World): Promise<void> {
  const { random, xrefs } = world;
  const mark = world.mark('bridge');
  const body = {
    refNumber: mark,
    jobType: 'Quality',
    status: 'Nominated',
    location: { id: null, xref: `P-${random.whole(1, 5)}`, name: 'Port', type: 'port' },
    transports: [{ type: 'vessel', id: null, name: random.chance(0.3) ? world.mark('MT') : 'MT Petrel' }],
    client: { xref: xrefs.client, name: 'Owner' },
    vendor: { xref: xrefs.vendor, name: 'Vendor' },
    chaos: mark,
  };
  await world.client.perform({
    kind: 'job by the Data API',
    claim: { noun: 'documents', marks: [mark] },
    method: 'POST',
    path: '/bridge/v1/data/jobs',
    body,
  });
}

function keep(
  { jobs }: World,
  workspace: string,
  answer: { readonly status: number; readonly body: unknown } | undefined,
) {
  if (answer?.status !== 201) return;
  const job: Job = { id: (answer.body as { id: string }).id, workspace };
  jobs.push(job);
}
