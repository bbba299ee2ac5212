import { expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** Sends a mutation twice under the same Idempotency-Key; returns the codes of both errors. */
async function twice(query: string, variables: object): Promise<(string | undefined)[]> {
  const codes: (string | undefined)[] = [];
  for (let time = 0; time < 2; time++) {
    const headers = { 'Idempotency-Key': 'same' };
    const answer = await service.ask('POST', '/graphql', { as: 'client', body: { query, variables }, headers });
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    codes.push(answer.body.errors?.[0].extensions.code);
  }
  return codes;
}

const jobsOf = async (xref: string) => {
  const query = 'query($xref: String!) { jobs(where: { xref: { eq: $xref } }) { nodes { id versionId } } }';
  return (await service.graphql(query, { xref })).body.data.jobs.nodes as { id: string; versionId: string }[];
};
const create = 'mutation($workspace: UUID!, $body: JobBody!) { createJob(workspace: $workspace, body: $body) { id } }';
const made = (xref: string) => ({ workspace: workspace.id, body: { xref, refNumber: xref } });

it('executes a mutation as often as sent, whatever its Idempotency-Key; a creation is found by its xref', async () => {
  expect(await twice(create, made('K-1'))).toEqual([undefined, undefined]);
  expect(await jobsOf('K-1')).toHaveLength(2);
});

it.each([
  [
    'changes what has another version by now',
    'updateJob',
    'patch: { notes: "changed" }, expectedVersion: [$version]',
    'PRECONDITION_FAILED',
  ],
  ['deletes what is gone', 'deleteJob', 'expectedVersion: [$version]', 'NOT_FOUND'],
])('refuses to repeat a mutation that %s', async (_, mutation, given, code) => {
  await service.graphql(create, made(mutation));
  const [job] = await jobsOf(mutation);
  const query = `mutation($id: UUID!, $version: String!) { ${mutation}(id: $id, ${given}) { id } }`;
  expect(await twice(query, { id: job?.id, version: job?.versionId })).toEqual([undefined, code]);
});

it('refuses to create a unique entity twice', async () => {
  const organization = 'mutation($body: OrganizationBody!) { createOrganization(body: $body) { id } }';
  expect(await twice(organization, { body: { name: 'Twice', category: 'shipper' } })).toEqual([
    undefined,
    'NAME_TAKEN',
  ]);
  const record = `mutation($workspace: UUID!, $body: CatalogRecordBody!) {
    createCatalogRecord(workspace: $workspace, catalog: "products", body: $body) { id }
  }`;
  const product = { workspace: workspace.id, body: { xref: 'P-1', name: 'Twice' } };
  expect(await twice(record, product)).toEqual([undefined, 'XREF_TAKEN']);
});
