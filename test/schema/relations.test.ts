import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsDuring } from '../profile.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let parent: string;
let job: string;

beforeAll(async () => {
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await service.ask('POST', path, { as: 'client', body });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  parent = await post(jobs, { refNumber: 'PARENT' });
  job = await post(jobs, {
    refNumber: 'CHILD',
    parent,
    location: { name: 'Rotterdam' },
    cargo: { uom: { name: 'MT' } },
  });
  await post(`${jobs}/${job}/quality`, { test: { name: 'Density' }, uom: { name: 'MT' }, result: '1' });
  await post(`${jobs}/${job}/timelog`, { type: { name: 'Berthed' } });
});

const ask = async (query: string, variables: object = {}, as: 'client' | 'vendor' | 'stranger' = 'client') =>
  (await service.graphql(query, variables, as)).body;

describe('parents and children', () => {
  it('lead to each other', async () => {
    const { data, errors } = await ask(
      `query Q($w: UUID!, $parent: UUID!) {
        job(id: $parent) {
          childJobs { refNumber parent { id } qualityResults { job { refNumber } workspace { id } } }
        }
        workspace(id: $w) {
          jobs(order: [{ refNumber: asc }]) { totalCount nodes { refNumber workspace { id } } }
          qualityResults(where: { test: { name: { eq: "Density" } } }) { nodes { result } }
          quantityResults { totalCount }
          timeLogEvents { nodes { eventType { name workspace { id } } } }
          loadPortInformations { totalCount }
          catalogRecords(where: { catalog: { eq: "locations" } }) { nodes { name } }
          client { organization { workspaces { nodes { id } } } }
        }
      }`,
      { w: workspace.id, parent },
    );
    expect(errors).toBeUndefined();
    const here = { id: workspace.id };
    expect(data).toEqual({
      job: {
        childJobs: [
          {
            refNumber: 'CHILD',
            parent: { id: parent },
            qualityResults: [{ job: { refNumber: 'CHILD' }, workspace: here }],
          },
        ],
      },
      workspace: {
        jobs: {
          totalCount: 2,
          nodes: [
            { refNumber: 'CHILD', workspace: here },
            { refNumber: 'PARENT', workspace: here },
          ],
        },
        qualityResults: { nodes: [{ result: '1' }] },
        quantityResults: { totalCount: 0 },
        timeLogEvents: { nodes: [{ eventType: { name: 'Berthed', workspace: here } }] },
        loadPortInformations: { totalCount: 0 },
        catalogRecords: { nodes: [{ name: 'Rotterdam' }] },
        client: { organization: { workspaces: { nodes: [here] } } },
      },
    });
  });

  it('of an organization are the workspaces the caller may see', async () => {
    const query = 'query Q($id: UUID!) { organization(id: $id) { workspaces { totalCount nodes { id } } } }';
    for (const [id, as, count] of [
      [workspace.client, 'client', 1],
      [workspace.vendor, 'client', 1],
      [workspace.vendor, 'vendor', 1],
      [workspace.vendor, 'stranger', 0],
    ] as const) {
      expect((await ask(query, { id }, as)).data.organization.workspaces.totalCount).toBe(count);
    }
  });
});

describe('a catalog record', () => {
  it('shows where it is used', async () => {
    const { data } = await ask(
      `query Q($w: UUID!) {
        catalogRecords(workspace: $w, order: [{ name: asc }], where: { catalog: { in: ["uom", "locations", "tests"] } }) {
          nodes {
            name
            jobs: usedBy { ... on Job { refNumber } }
            results: usedBy(type: "svc.inspection.qualityResult", first: 5) { ... on QualityResult { result } }
          }
        }
      }`,
      { w: workspace.id },
    );
    expect(data.catalogRecords.nodes).toEqual([
      { name: 'Density', jobs: [], results: [{ result: '1' }] },
      { name: 'MT', jobs: [{ refNumber: 'CHILD' }], results: [{ result: '1' }] },
      { name: 'Rotterdam', jobs: [{ refNumber: 'CHILD' }], results: [] },
    ]);
  });

  it('lists at most 100 users, of a known type', async () => {
    for (const args of ['first: 0', 'first: 101', 'type: "svc.other"']) {
      const { errors } = await ask(
        `query Q($w: UUID!) { catalogRecords(workspace: $w) { nodes { usedBy(${args}) { id } } } }`,
        {
          w: workspace.id,
        },
      );
      expect(errors[0].extensions.code).toBe('INVALID_INPUT');
    }
  });
});

describe("an entity's versions", () => {
  const HISTORY = `query H($id: UUID!, $first: Int!, $before: Int) {
    job(id: $id) {
      versions(first: $first, before: $before) {
        number versionId modifiedAt modifiedBy modifier { id name } changes { path before after } body
      }
    }
  }`;
  let id: string;

  beforeAll(async () => {
    const { body } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'client',
      body: { refNumber: 'V', cargo: { quantity: 1 }, extra: { list: [1, { a: 1 }], 'a/b': true } },
    });
    id = body.id;
    const patches = [
      ['vendor', { status: 'active', cargo: { quantity: 2 } }],
      ['client', { extra: { list: [1, { a: 2 }, 3], 'a/b': null }, refNumber: null }],
    ] as const;
    for (const [as, patch] of patches) {
      await service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${id}`, { as, body: patch });
    }
  });

  it('say who changed what and when, field by field', async () => {
    const { data, errors } = await ask(HISTORY, { id, first: 10 });
    expect(errors).toBeUndefined();
    const [third, second, first] = data.job.versions;
    expect(data.job.versions.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1]);
    expect(third.changes).toEqual([
      { path: '/refNumber', before: 'V', after: null },
      { path: '/extra/list/1/a', before: 1, after: 2 },
      { path: '/extra/list/2', before: null, after: 3 },
      { path: '/extra/a~1b', before: true, after: null },
    ]);
    expect(second.changes).toEqual([
      { path: '/cargo/quantity', before: 1, after: 2 },
      { path: '/status', before: null, after: 'active' },
    ]);
    expect(first.changes.map(({ path, before }: { path: string; before: unknown }) => [path, before])).toEqual([
      ['/workspace', null],
      ['/refNumber', null],
      ['/cargo', null],
      ['/extra', null],
    ]);
    expect([third, second].map(({ modifier }) => modifier.name)).toEqual([
      expect.stringMatching(/client/i),
      expect.stringMatching(/vendor/i),
    ]);
    expect(third.modifier.id).toBe(third.modifiedBy);
    expect(new Date(third.modifiedAt) >= new Date(second.modifiedAt)).toBe(true);
  });

  it('come in pages, each change compared with the version before', async () => {
    const page = async (first: number, before?: number) =>
      (await ask(HISTORY, { id, first, before })).data.job.versions.map(
        ({ number, changes }: { number: number; changes: unknown[] }) => [number, changes.length],
      );
    expect(await page(1)).toEqual([[3, 4]]);
    expect(await page(1, 3)).toEqual([[2, 2]]);
    expect(await page(5, 2)).toEqual([[1, 4]]);
    expect(await page(5, 1)).toEqual([]);
    for (const first of [0, 1001]) {
      const { errors } = await ask(
        'query Q($id: UUID!, $first: Int!) { job(id: $id) { versions(first: $first) { number } } }',
        { id, first },
      );
      expect(errors[0].extensions.code).toBe('INVALID_INPUT');
    }
  });

  it('cost one command for a whole page of entities, and one for the names', async () => {
    const query = 'query Q($w: UUID!) { jobs(workspace: $w) { nodes { versions { number modifier { name } } } } }';
    await ask(query, { w: workspace.id });
    let nodes: unknown[] = [];
    const commands = await commandsDuring(service, async () => {
      nodes = (await ask(query, { w: workspace.id })).data.jobs.nodes;
    });
    const entries = commands.filter(({ op }) => op === 'query');
    const asked = entries.map(({ ns }) => String(ns).split('.')[1]).filter((name) => name !== 'documents');
    expect([nodes.length, asked.sort()]).toEqual([3, expect.arrayContaining(['versions'])]);
    expect(asked.filter((name) => name === 'versions')).toHaveLength(1);
    expect(asked.filter((name) => name === 'principals').length).toBeLessThanOrEqual(2); // one may be the credential
    for (const { planSummary } of entries) expect(planSummary).not.toContain('COLLSCAN');
  });

  it('of an organization do not tell strangers who changed it', async () => {
    const query = 'query Q($id: UUID!) { organization(id: $id) { versions { modifiedBy modifier { name } } } }';
    const seen = async (as: 'client' | 'stranger') =>
      (await ask(query, { id: workspace.client }, as)).data.organization.versions[0].modifier;
    expect(await seen('client')).toEqual({ name: expect.any(String) });
    expect(await seen('stranger')).toBeNull();
  });

  it('of deleted principals have no name', async () => {
    await service.stores.db
      .collection<{ _id: string }>('documents')
      .updateOne({ _id: parent }, { $set: { modified_by: newId() } } as never);
    const { data } = await ask('query Q($id: UUID!) { job(id: $id) { versions { modifier { name } } } }', {
      id: parent,
    });
    expect(data.job.versions).toEqual([{ modifier: null }]);
  });
});
