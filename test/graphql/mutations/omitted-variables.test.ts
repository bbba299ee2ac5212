import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** The answer of a mutation, which is compiled after a few runs. */
async function answered(query: string, variables: object) {
  const { body } = await service.graphql(query, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
}

const createJob = async (body: object): Promise<string> =>
  (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body })).body.id;
const jobOf = async (id: string) =>
  (await service.ask('GET', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'client' })).body;

describe('an omitted variable, in the text of a mutation,', () => {
  const UPDATE = `mutation ($id: UUID!, $status: String, $eta: DateTime, $location: JSON, $notes: String, $deep: JSON) {
    updateJob(id: $id, patch: { status: $status, eta: $eta, location: $location, notes: $notes, deep: { one: $deep } }) {
      versions { versionId }
    }
  }`;

  it('leaves the member unchanged, and null removes it, however often the mutation runs', async () => {
    for (let time = 0; time < 4; time += 1) {
      const id = await createJob({ eta: '2026-12-01T00:00:00Z', location: { name: 'Rotterdam' }, deep: { one: 1 } });
      await answered(UPDATE, { id, status: 'active' });
      const job = await jobOf(id);
      expect(job).toMatchObject({ status: 'active', eta: '2026-12-01T00:00:00Z', deep: { one: 1 } });
      expect(job.location).toBeDefined();
      expect((await answered(UPDATE, { id, status: 'active' })).updateJob.versions).toHaveLength(2);
      await answered(UPDATE, { id, eta: null });
      expect(await jobOf(id)).not.toHaveProperty('eta');
    }
  });

  it('is no member of a body', async () => {
    const create = `mutation ($w: UUID!, $eta: DateTime, $name: String, $note: JSON) {
      createJob(workspace: $w, body: { refNumber: "OMITTED", eta: $eta, cargo: { product: { name: $name } }, list: [$note, 1] }) { body }
    }`;
    for (let time = 0; time < 4; time += 1) {
      const { body } = (await answered(create, { w: workspace.id, name: 'Gasoil' })).createJob;
      expect(body).not.toHaveProperty('eta');
      expect(body.list).toEqual([null, 1]);
    }
  });

  it('does not count as one of two spellings', async () => {
    const job = await createJob({ refNumber: 'R' });
    const create = `mutation ($w: UUID!, $job: UUID!, $date: DateTime) {
      createQualityResult(workspace: $w, job: $job, body: {
        status: "confirmed", setNumber: 1, sample: { location: "tank" }, test: { name: "Density" }, uom: { name: "kg/m3" },
        method: { name: "ASTM D4052" }, result: "850", testDate: "2026-01-01", date: $date
      }) { id }
    }`;
    for (let time = 0; time < 4; time += 1) await answered(create, { w: workspace.id, job });
  });
});
