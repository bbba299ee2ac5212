import { beforeEach, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const CREATE = 'createJob(workspace: $workspace, body: { refNumber: "R" })';

describe.each(['on', 'off'])('with GRAPHQL_JIT=%s', (jit) => {
  const service = serviceFixture({ env: { GRAPHQL_JIT: jit } });
  const workspace = workspaceFixture(service);
  let jobs = 0;

  const countJobs = async (): Promise<number> =>
    (await service.graphql('{ jobs { totalCount } }')).body.data.jobs.totalCount;
  beforeEach(async () => {
    jobs = await countJobs();
  });

  /** Sends a mutation three times, so that it is compiled if possible: the codes and positions of the last errors. */
  async function rejected(selection: string, { declared = '', values = {} } = {}) {
    const query = `mutation($workspace: UUID!${declared}) { ${selection}`;
    const send = () => service.graphql(query, { workspace: workspace.id, ...values });
    await send();
    await send();
    const { status, body } = await send();
    expect({ status, data: body.data }).toEqual({ status: 400, data: undefined });
    return body.errors as Rejection[];
  }
  const messages = (errors: Rejection[]) => errors.map(({ message }) => message);
  const TOO_MANY = 'Parameter first: must be from 1 to 100.';

  it.each([
    'qualityResults(first: 200) { id }',
    'childJobs(first: -1) { id }',
    'versions(first: 0) { number }',
    'quantityReconciliation(tolerance: -1) { reason }',
    'timeSummary(gapsOver: -1) { reason }',
    'timeSummary { laytime(allowedHours: -1) { reason } }',
    'figureAudit(factorTolerance: -1) { passed }',
    'voyageAnalysis(loadFactor: -1) { reason }',
    'workspace { jobs(after: "nothing") { totalCount } }',
    'workspace { statistics(product: $workspace) { from } }',
  ])('creates nothing when it rejects %s', async (below) => {
    await rejected(`${CREATE} { id ${below} } }`);
    expect(await countJobs()).toBe(jobs);
  });

  it('deletes nothing, and does not run the first of several fields', async () => {
    const query = `mutation($workspace: UUID!) { ${CREATE} { id } }`;
    const made = (await service.graphql(query, { workspace: workspace.id })).body.data.createJob.id;
    const both = `${CREATE} { id } deleteJob(id: "${made}") { id timeLog(first: 101) { id } } }`;
    expect(messages(await rejected(both))).toEqual([TOO_MANY]);
    expect(await countJobs()).toBe(jobs + 1);
  });

  it('names every field with invalid arguments by its position', async () => {
    const errors = await rejected(`${CREATE} { id one: qualityResults(first: 0) { id } two: timeLog(first: 7) { id }
      three: workspace { jobs(offset: -1) { totalCount } } } }`);
    expect(messages(errors)).toEqual([TOO_MANY, 'Parameter offset: must be from 0 to 2147483647.']);
    expect(errors.map(({ locations }) => locations?.[0]?.line)).toEqual([1, 2]);
  });

  it('checks variables, their defaults, and null for an argument with one', async () => {
    const below = `${CREATE} { id qualityResults(first: $first) { id } } }`;
    expect(messages(await rejected(below, { declared: ', $first: Int!', values: { first: 101 } }))).toEqual([TOO_MANY]);
    expect(messages(await rejected(below, { declared: ', $first: Int = 0' }))).toEqual([TOO_MANY]);
    const query = `mutation($workspace: UUID!, $first: Int = 5) { ${below}`;
    const { body } = await service.graphql(query, { workspace: workspace.id, first: null });
    expect([body.data, body.errors[0].extensions.code]).toEqual([undefined, 'BAD_USER_INPUT']);
    expect(await countJobs()).toBe(jobs);
  });

  it('checks fragments, and included fields', async () => {
    const declared = ', $yes: Boolean!';
    const spread = `${CREATE} { ... @skip(if: $yes) { ...Below } ... on Document { ...Below @include(if: $yes) } } }
      fragment Below on Job { id qualityResults(first: 0) { id } }`;
    expect(messages(await rejected(spread, { declared, values: { yes: true } }))).toEqual([TOO_MANY]);
    expect(await countJobs()).toBe(jobs);
  });

  it('runs if such fields are skipped or get valid arguments', async () => {
    const query = `mutation($workspace: UUID!, $no: Boolean!, $first: Int!) {
      ${CREATE} { id ...Below @include(if: $no) timeLog(first: $first) { id } }
    } fragment Below on Job { qualityResults(first: 0) { id } }`;
    for (let time = 1; time <= 3; time++) {
      const { body } = await service.graphql(query, { workspace: workspace.id, no: false, first: 100 });
      expect(body).toEqual({ data: { createJob: { id: expect.any(String), timeLog: [] } } });
    }
    expect(await countJobs()).toBe(jobs + 3);
  });

  it('runs the fields before a failing one, and none after it', async () => {
    const query = `mutation($workspace: UUID!) { a: ${CREATE} { id } b: deleteJob(id: $workspace) { id } c: ${CREATE} { id } }`;
    for (let time = 1; time <= 3; time++) {
      const { body } = await service.graphql(query, { workspace: workspace.id });
      expect(body).toMatchObject({ data: null, errors: [{ path: ['b'], extensions: { code: 'NOT_FOUND' } }] });
      expect(await countJobs()).toBe(jobs + time);
    }
  });

  it('reports a missing credential first', async () => {
    const query = `mutation($workspace: UUID!) { ${CREATE} { qualityResults(first: 0) { id } } }`;
    const { status, body } = await service.graphql(query, { workspace: workspace.id }, null);
    expect([status, body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  });
});

interface Rejection {
  readonly message: string;
  readonly extensions: { readonly code: string };
  readonly locations?: readonly { readonly line: number }[];
}
