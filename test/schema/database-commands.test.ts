import type { Document } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';

/** A dashboard's query for one page: jobs, and everything they lead to. */
const PAGE = `query Page($first: Int!) {
  jobs(first: $first) {
    nodes {
      refNumber status eta
      location { name xref owner { name } }
      transports { name }
      cargo { product { name } quantity uom { name } }
      vendor { name }
      client { name }
      parent { id }
      workspace { description client { organization { name } } vendor { organization { name } } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

const service = serviceFixture();

beforeAll(async () => {
  const workspaces = [await makeWorkspace(service), await makeWorkspace(service)];
  const parents = await Promise.all(
    workspaces.map(({ id }) => service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} })),
  );
  for (let i = 0; i < 30; i++) {
    const { id } = workspaces[i % 2] ?? { id: '' };
    const { status } = await service.ask('POST', `/workspaces/${id}/jobs`, {
      as: 'vendor',
      body: {
        refNumber: `R-${i}`,
        parent: parents[i % 2]?.body.id,
        location: { name: `Port ${i}` },
        transports: [{ name: `MV ${i}` }, { name: `MV ${i + 1}` }],
        cargo: { product: { name: `Product ${i % 7}` }, quantity: i, uom: { name: 'MT' } },
        vendor: { name: `Surveyor ${i % 3}` },
        client: { name: `Owner ${i % 4}` },
      },
    });
    expect(status).toBe(201);
  }
});

/** The commands MongoDB ran for this database during the work. */
const commandsOf = async (work: () => Promise<unknown>): Promise<string[]> =>
  (await commandsDuring(service, work)).map(nameOf).filter((name) => !LOOK_UPS.includes(name));

/** Whatever is asked, a key is looked up again every four seconds, and a tenant's declined workspaces every second. */
const LOOK_UPS = ['query principals', 'distinct workspaces'];

const nameOf = ({ ns, op, command }: Document): string => {
  const verb = op === 'command' ? Object.keys(command)[0] : op;
  return `${verb} ${String(ns).split('.').slice(1).join('.')}`;
};

const page = async (first: number) => {
  const { body } = await service.graphql(PAGE, { first });
  expect([body.errors, body.data.jobs.nodes.length]).toEqual([undefined, first]);
  const last = body.data.jobs.nodes[0];
  expect(last).toMatchObject({
    location: { owner: { name: expect.any(String) } },
    workspace: { vendor: { organization: { name: expect.any(String) } } },
  });
};

describe('the database commands', () => {
  it('of a page of jobs with everything they lead to are few, and as many for 25 as for 5', async () => {
    await page(3); // the credential is cached from here on
    for (const first of [5, 25, 25]) {
      const commands = await commandsOf(() => page(first));
      // Workspaces and records lead to organizations; the two arrive together or one after the other.
      const twice = commands.filter((command) => command === 'query organizations').length === 2;
      expect(commands.sort()).toEqual([
        'query catalog_records',
        'query documents',
        'query documents',
        'query organizations',
        ...(twice ? ['query organizations'] : []),
        'query workspaces',
      ]);
    }
  });

  it('of a read by id are one', async () => {
    const { body } = await service.graphql('{ jobs(first: 1) { nodes { id workspaceId } } }');
    const [{ id, workspaceId }] = body.data.jobs.nodes;
    for (const path of [`/workspaces/${workspaceId}/jobs/${id}`, `/v2/workspaces/${workspaceId}/documents/${id}`]) {
      expect(await commandsOf(() => service.ask('GET', path, { as: 'client' }))).toEqual(['query documents']);
    }
    expect(
      await commandsOf(() => service.graphql('query Q($id: UUID!) { job(id: $id) { refNumber body } }', { id })),
    ).toEqual(['query documents']);
  });

  it('of a list are one, with its workspace when it is empty', async () => {
    const { body } = await service.graphql('{ workspaces { nodes { id } } }');
    const [{ id }] = body.data.workspaces.nodes;
    const list = (query: string) =>
      commandsOf(() => service.ask('GET', `/workspaces/${id}/jobs${query}`, { as: 'client' }));
    expect(await list('?limit=10')).toEqual(['query documents']);
    expect(await list('?status=active')).toEqual(['query documents', 'query workspaces']);
    expect(await list('?limit=10&location.name=Port%201')).toEqual(
      expect.arrayContaining(['query catalog_records', 'query documents']),
    );
  });

  it('of all children of a job are one for the first page, and continue from there', async () => {
    const { body } = await service.graphql('{ jobs(first: 1) { nodes { id workspaceId } } }');
    const [{ id: parent, workspaceId }] = body.data.jobs.nodes;
    const add = async (count: number): Promise<void> => {
      const body = Array.from({ length: count }, (_, n) => ({
        parent,
        category: 'event',
        type: { name: `Event ${n % 7}` },
        start: `2026-05-01T00:${10 + (n % 40)}:00Z`,
      }));
      const path = `/v2/workspaces/${workspaceId}/documents/bulk`;
      const { status } = await service.ask('POST', path, {
        as: 'client',
        body: { type: 'svc.inspection.timelog', body },
      });
      expect(status).toBe(201);
    };
    const path = `/workspaces/${workspaceId}/jobs/${parent}/timelog`;
    const idsOf = async (query = ''): Promise<string[]> =>
      (await service.ask('GET', `${path}${query}`, { as: 'client' })).body.map(({ id }: { id: string }) => id);
    await add(100);
    expect(await commandsOf(() => idsOf())).toEqual(['query documents']);
    await add(150);
    let ids: string[] = [];
    const commands = await commandsOf(async () => (ids = await idsOf()));
    expect(commands).toEqual(['query documents', 'query documents', 'getmore documents']);
    expect(ids).toEqual([...(await idsOf('?limit=99')), ...(await idsOf('?limit=151&offset=99'))]);
    expect(new Set(ids).size).toBe(250);
    expect(await idsOf('?offset=120')).toEqual(ids.slice(120));
  });

  it("of a filter by a record's name read that record once, even if the answer shows it", async () => {
    const { body } = await service.graphql(
      '{ jobs(where: { refNumber: { eq: "R-28" } }) { nodes { workspaceId location { name } } } }',
    );
    const [{ workspaceId, location }] = body.data.jobs.nodes;
    const query = `query Q($w: UUID!, $name: String!) {
      jobs(workspace: $w, where: { location: { name: { eq: $name } } }) { nodes { refNumber location { name } } }
    }`;
    const asked = () => service.graphql(query, { w: workspaceId, name: location.name });
    expect((await asked()).body.data.jobs.nodes).toEqual([{ refNumber: 'R-28', location }]);
    expect((await commandsOf(asked)).sort()).toEqual(['query catalog_records', 'query documents']);
  });

  it('of a create whose records exist write once', async () => {
    const { body } = await service.graphql('{ jobs(first: 1) { nodes { workspaceId location { id } } } }');
    const [{ workspaceId, location }] = body.data.jobs.nodes;
    const commands = await commandsOf(() =>
      service.ask('POST', `/workspaces/${workspaceId}/jobs`, { as: 'client', body: { location: location.id } }),
    );
    expect(commands.filter((command) => !command.startsWith('query'))).toEqual(['insert documents']);
    expect(commands.length).toBeLessThanOrEqual(5);
  });
});
