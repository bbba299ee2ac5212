// The service as a competent developer would write it by hand: Express 5, the MongoDB driver, ajv, pino.
import express from 'express';
import type { StoredCatalogRecord } from '../../src/model/entity/entity.ts';
import { envelopeOf, expressBase, principalOf, serve } from './express-base.ts';
import { connectJobs } from './jobs.ts';
import { runUnseen } from './rows/ad-hoc.ts';
import { addAttachments } from './rows/attachments.ts';
import { addBridgeJobs } from './rows/bridge-jobs.ts';
import { addChangeStream } from './rows/change-stream.ts';
import { addChanges } from './rows/changes.ts';
import { addFurtherReads, furtherQueries } from './rows/further-reads.ts';
import { idempotencyKeys } from './rows/idempotency-keys.ts';
import { summariesOf } from './summaries.ts';

const jobs = await connectJobs();
const app = expressBase(jobs);

app.get('/v2/workspaces/:workspace/documents/:id', async ({ params }, response) => {
  const found = await jobs.get(principalOf(response).tenant, params);
  response.set({ ETag: `"${found.version_id}"`, 'Cache-Control': 'private, no-cache' }).json(envelopeOf(found));
});

app.get('/workspaces/:workspace/jobs/:id', async ({ params }, response) => {
  const found = await jobs.get(principalOf(response).tenant, params);
  response.set({ ETag: `"${found.version_id}"`, 'Cache-Control': 'private, no-cache' }).json(found.body);
});

app.get('/v2/workspaces/:workspace/documents', async ({ params, query }, response) => {
  const offset = Number(query.offset ?? 0);
  const found = await jobs.newest(principalOf(response).tenant, params.workspace, { offset });
  response.set({ 'Cache-Control': 'private, no-cache' }).json(found.map(envelopeOf));
});

app.post(
  '/v2/workspaces/:workspace/documents',
  express.json({ limit: '32mb' }),
  idempotencyKeys(jobs),
  async (request, response) => {
    const { workspace } = request.params as { workspace: string };
    const job = await jobs.create(principalOf(response), workspace, request.body.body);
    response
      .status(201)
      .set({ ETag: `"${job.version_id}"`, Location: `${request.path}/${job._id}` })
      .json(envelopeOf(job));
  },
);

app.post('/v2/workspaces/:workspace/documents/bulk', express.json({ limit: '32mb' }), async (request, response) => {
  const { workspace } = request.params as { workspace: string };
  const made = await jobs.createMany(principalOf(response), workspace, request.body.body);
  response.status(201).json(made.map(envelopeOf));
});

addChanges(app, jobs);
addBridgeJobs(app, jobs);
addAttachments(app, jobs);
addFurtherReads(app, jobs);
addChangeStream(app, jobs);
const further = furtherQueries(jobs);

interface Joined {
  readonly location?: string;
  readonly transports?: readonly string[];
  readonly cargo?: { readonly product?: string };
  readonly [field: string]: unknown;
}

/** The nested query joined by hand: the jobs, then all of their records at once. */
app.post('/graphql', express.json({ limit: '1mb' }), async ({ body }, response) => {
  const { tenant } = principalOf(response);
  const [, name = ''] = /^query (\w+)/.exec(body.query) ?? [];
  const answer = further.get(name);
  if (answer) {
    response.json({ data: await answer(tenant, body.variables) });
    return;
  }
  if (name.startsWith('Unseen')) {
    response.json(await runUnseen(body.query, body.variables, ({ workspace }) => nested(tenant, workspace)));
    return;
  }
  if (body.query.includes('NewestComplete')) {
    const nodes = await summariesOf(jobs, tenant, body.variables.workspace);
    response.json({ data: { jobs: { nodes } } });
    return;
  }
  response.json({ data: { jobs: { nodes: await nested(tenant, body.variables.workspace) } } });
});

async function nested(tenant: string, workspace: string): Promise<object[]> {
  const found = await jobs.newest(tenant, workspace, { projection: JOB_FIELDS });
  const bodies = found.map(({ _id, body: job }) => [_id, job as Joined] as const);
  const ids = new Set<string>();
  for (const [, { location, transports = [], cargo }] of bodies) {
    for (const id of [location, ...transports, cargo?.product]) if (id) ids.add(id);
  }
  const records = await jobs.records(tenant, [...ids], RECORD_FIELDS);
  const byId = new Map(records.map((record) => [record._id, shown(record)]));
  const record = (id: string | undefined) => (id && byId.get(id)) || null;
  return bodies.map(([id, { refNumber, status, activity, eta, etc, location, transports = [], cargo }]) => ({
    id,
    refNumber: refNumber ?? null,
    status: status ?? null,
    activity: activity ?? null,
    eta: eta ?? null,
    etc: etc ?? null,
    location: record(location),
    transports: transports.map(record),
    cargo: { product: record(cargo?.product) },
  }));
}

const JOB_FIELDS = {
  ...{ 'body.refNumber': 1, 'body.status': 1, 'body.activity': 1, 'body.eta': 1, 'body.etc': 1 },
  ...{ 'body.location': 1, 'body.transports': 1, 'body.cargo.product': 1 },
};
const RECORD_FIELDS = { 'body.name': 1, 'body.xref': 1 };

const shown = ({ body }: StoredCatalogRecord) => ({ name: body.name, xref: body.xref ?? null });

serve(app);
