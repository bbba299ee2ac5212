import { beforeEach, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let job: string;
let location: { readonly id: string; readonly name: string };

/** The text of a mutation, containing the ids of the workspace, the job and its location. */
const textOf = (fields: string): string => {
  const ids: Readonly<Record<string, string>> = { $workspace: workspace.id, $job: job, $location: location.id };
  return `mutation { ${fields.replace(/\$\w+/g, (name) => `"${ids[name]}"`)} }`;
};

const run = async (fields: string) => {
  const { body } = await service.graphql(textOf(fields));
  expect(body.errors).toBeUndefined();
  return body.data;
};

beforeEach(async ({ task }) => {
  const { body } = await service.graphql(
    `mutation($workspace: UUID!, $body: JobBody!) { createJob(workspace: $workspace, body: $body) { id location { id name } } }`,
    { workspace: workspace.id, body: { location: { name: task.name }, requested: { quality: true } } },
  );
  ({ id: job, location } = body.data.createJob);
});

it('shows every result created for a job so far, in its lists and in computed fields', async () => {
  const create = (
    direction: string,
  ) => `createQuantityResult(workspace: $workspace, job: $job, body: { direction: "${direction}",
    measurements: [{ name: "GSV", value: 10, uom: { name: "m3" } }] }) {
    job { quantityResults { direction } quantityReconciliation { reason transfer { difference } } } }`;
  const { a, b } = await run(`a: ${create('source')} b: ${create('destination')}`);
  expect(a.job.quantityResults).toEqual([{ direction: 'source' }]);
  expect(a.job.quantityReconciliation.reason).toContain('destination');
  expect(b.job.quantityResults).toEqual([{ direction: 'destination' }, { direction: 'source' }]);
  expect(b.job.quantityReconciliation).toEqual({ reason: null, transfer: [{ difference: 0 }] });
});

it('lists as many results of a job as it counts', async () => {
  const create = `createQualityResult(workspace: $workspace, job: $job, body: { result: "1" }) {
    job { qualityResults { id } completeness { quality { reported } } qualitySummary { results } } }`;
  const { a, b } = await run(`a: ${create} b: ${create}`);
  for (const [{ job: shown }, count] of [[a, 1] as const, [b, 2] as const]) {
    const counts = [shown.qualityResults.length, shown.completeness.quality.reported, shown.qualitySummary.results];
    expect(counts).toEqual([count, count, count]);
  }
});

const CHANGE_JOB = `a: updateJob(id: $job, patch: { status: "pending" }) { versionId }
  b: createTimeLogEvent(workspace: $workspace, job: $job, body: {}) { job { status versionId } }
  c: updateJob(id: $job, patch: { status: "active" }) { versionId }
  d: createTimeLogEvent(workspace: $workspace, job: $job, body: {}) { job { status versionId } }`;

it('shows the job as last changed', async () => {
  const { a, b, c, d } = await run(CHANGE_JOB);
  expect(b.job).toEqual({ status: 'pending', versionId: a.versionId });
  expect(d.job).toEqual({ status: 'active', versionId: c.versionId });
});

it('does so for requests in unusual forms', async () => {
  const headers = { 'Content-Type': 'application/graphql' };
  const { body } = await service.ask('POST', '/graphql', { as: 'client', headers, body: textOf(CHANGE_JOB) });
  expect(body.data.d.job).toEqual({ status: 'active', versionId: body.data.c.versionId });
});

it('shows the workspace as last changed', async () => {
  const change = (description: string) =>
    `updateWorkspace(id: $workspace, patch: { description: "${description}" }) { id }`;
  const create = 'createJob(workspace: $workspace, body: {}) { workspace { description } }';
  const { b, d } = await run(`a: ${change('one')} b: ${create} c: ${change('two')} d: ${create}`);
  expect([b, d]).toEqual([{ workspace: { description: 'one' } }, { workspace: { description: 'two' } }]);
});

it('shows a catalog record as last changed, even if a filter has found it before', async () => {
  const show = `updateJob(id: $job, patch: {}) { location { name } }`;
  const find = `updateJob(id: $job, patch: {}) {
    workspace { jobs(where: { location: { name: { eq: "${location.name}" } } }) { nodes { location { name } } } } }`;
  const rename = (name: string) =>
    `updateCatalogRecord(workspace: $workspace, id: $location, patch: { name: "${name}" }) { name }`;
  const { a, b, d } = await run(`a: ${find} b: ${show} c: ${rename('Renamed')} d: ${show}`);
  expect(a.workspace.jobs.nodes).toEqual([{ location: { name: location.name } }]);
  expect([b, d]).toEqual([{ location: { name: location.name } }, { location: { name: 'Renamed' } }]);
});

it("shows a catalog record's current synonyms", async () => {
  const create = `createCatalogRecord(workspace: $workspace, catalog: "locations", body: { name: "Another" }) { id }`;
  const { made } = await run(`made: ${create}`);
  const show = `updateJob(id: $job, patch: {}) { location { synonyms { name } synonymGroup { id } } }`;
  const link = `linkSynonyms(workspace: $workspace, catalog: "locations", record: $location, synonym: "${made.id}") { created }`;
  const { a, c } = await run(`a: ${show} b: ${link} c: ${show}`);
  expect(a.location).toEqual({ synonyms: [], synonymGroup: [{ id: location.id }] });
  expect(c.location.synonyms).toEqual([{ name: 'Another' }]);
  expect(c.location.synonymGroup).toHaveLength(2);
});
