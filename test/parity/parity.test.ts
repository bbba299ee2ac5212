import { describe, expect, it } from 'vitest';
import { type Answer, serviceFixture, workspaceFixture } from '../service.ts';

const TYPE = 'svc.inspection.job';
/** Everything a job may hold, as a client's system would send it. */
const BODY = {
  xref: 'X-77',
  refNumber: 'R-77',
  tripNumber: 'T-7',
  status: 'active',
  activity: 'discharge',
  eta: '2026-05-01T06:00:00+02:00',
  etc: '2026-05-02',
  notes: 'Line 1\nLine 2 — "quoted" \\ 😀',
  location: { xref: 'L-1', name: 'Port Parity' },
  transports: [{ name: 'MV Parity' }, { xref: 'V-2', name: 'MV Same' }],
  cargo: { product: { name: 'Gas Oil' }, quantity: 12345.678, uom: { name: 'MT' }, extra: 'kept' },
  requested: { quality: true, quantity: false },
  vendor: { name: 'Brightwater' },
  client: { name: 'Aldermoor' },
  custom: { nested: [1, { deep: null }] },
};

const service = serviceFixture();
const workspace = workspaceFixture(service);

interface Job {
  readonly id: string;
  readonly body: Record<string, unknown>;
}

/** One of the ways to the same jobs. */
interface Way {
  create(body: object): Promise<Job>;
  read(id: string): Promise<Record<string, unknown>>;
  change(id: string, patch: object): Promise<Record<string, unknown>>;
  list(refNumber: string): Promise<Job[]>;
  remove(id: string): Promise<Record<string, unknown>>;
}

const good = ({ status, body, text }: Answer) => {
  if (status >= 300 || body.errors) throw new Error(text);
  return body;
};
const legacy = async (method: string, path: string, body?: object) =>
  good(await service.ask(method, `/workspaces/${workspace.id}/jobs${path}`, { as: 'client', body }));
const v2 = async (method: string, path: string, body?: object) =>
  good(await service.ask(method, `/v2/workspaces/${workspace.id}/documents${path}`, { as: 'vendor', body }));
const graphql = async (query: string, variables: object) =>
  good(await service.graphql(query, { w: workspace.id, ...variables }, 'client')).data;

const WAYS: Record<string, Way> = {
  legacy: {
    create: (body) => legacy('POST', '', body),
    read: (id) => legacy('GET', `/${id}`),
    change: (id, patch) => legacy('PATCH', `/${id}`, patch),
    list: (refNumber) => legacy('GET', `?refNumber=${refNumber}`),
    remove: (id) => legacy('DELETE', `/${id}`),
  },
  v2: {
    create: (body) => v2('POST', '', { type: TYPE, body }),
    read: async (id) => (await v2('GET', `/${id}`)).body,
    change: async (id, patch) => (await v2('PATCH', `/${id}`, { body: patch })).body,
    list: (refNumber) => v2('GET', `?type=${TYPE}&filter[refNumber]=${refNumber}`),
    remove: async (id) => (await v2('DELETE', `/${id}`)).body,
  },
  graphql: {
    create: async (body) =>
      (
        await graphql('mutation C($w: UUID!, $b: JobBody!) { createJob(workspace: $w, body: $b) { id body } }', {
          b: body,
        })
      ).createJob,
    read: async (id) =>
      (await graphql('query R($w: UUID!, $id: UUID!) { job(workspace: $w, id: $id) { body } }', { id })).job.body,
    change: async (id, patch) =>
      (
        await graphql(
          'mutation U($w: UUID!, $id: UUID!, $p: JobPatch!) { updateJob(workspace: $w, id: $id, patch: $p) { body } }',
          { id, p: patch },
        )
      ).updateJob.body,
    list: async (refNumber) =>
      (
        await graphql(
          'query L($w: UUID!, $f: [FieldFilter!]) { jobs(workspace: $w, filter: $f) { nodes { id body } } }',
          { f: [{ field: 'refNumber', anyOf: [refNumber] }] },
        )
      ).jobs.nodes,
    remove: async (id) =>
      (await graphql('mutation D($w: UUID!, $id: UUID!) { deleteJob(workspace: $w, id: $id) { body } }', { id }))
        .deleteJob.body,
  },
};
const NAMES = Object.keys(WAYS);
const way = (name: string): Way => WAYS[name] as Way;

describe.each(NAMES)('a job written by %s', (writer) => {
  it('is read alike everywhere', async () => {
    const refNumber = `created-${writer}`;
    const made = await way(writer).create({ ...BODY, refNumber });
    for (const reader of NAMES) {
      expect([reader, await way(reader).read(made.id)]).toEqual([reader, made.body]);
      const [found, ...more] = await way(reader).list(refNumber);
      expect([reader, found?.id, found?.body, more]).toEqual([reader, made.id, made.body, []]);
    }
    const { workspace: place, location, transports, cargo, vendor, client, ...rest } = made.body;
    const { location: _l, transports: _t, cargo: _c, vendor: _v, client: _k, ...sent } = { ...BODY, refNumber };
    expect(rest).toEqual(sent);
    expect([place, cargo]).toMatchObject([workspace.id, { quantity: 12345.678, extra: 'kept' }]);
    const ids = [location, ...(transports as string[]), vendor, client];
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('leads to the same catalog records as a job written another way', async () => {
    const { refNumber: _, ...rest } = BODY;
    const bodies = await Promise.all(NAMES.map(async (name) => (await way(name).create(rest)).body));
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  it('is changed by every other way, and all see it', async () => {
    const { id } = await way(writer).create({ ...BODY, refNumber: `changed-${writer}` });
    for (const changer of NAMES) {
      const changed = await way(changer).change(id, {
        notes: changer,
        custom: { by: changer, nested: null },
        status: null,
      });
      expect(changed).toMatchObject({ notes: changer, custom: { by: changer } });
      expect(changed).not.toHaveProperty('status');
      for (const reader of NAMES) expect([reader, await way(reader).read(id)]).toEqual([reader, changed]);
    }
  });

  it('is deleted by every other way, and is then gone everywhere', async () => {
    for (const remover of NAMES) {
      const { id, body } = await way(writer).create({ ...BODY, refNumber: `removed-${writer}` });
      expect(await way(remover).remove(id)).toEqual(body);
      for (const reader of NAMES) await expect(way(reader).read(id)).rejects.toThrow('NOT_FOUND');
    }
  });

  it("has one version id: the others' ETag is valid for it", async () => {
    const { id } = await way(writer).create({ refNumber: `tag-${writer}` });
    const paths = [`/workspaces/${workspace.id}/jobs/${id}`, `/v2/workspaces/${workspace.id}/documents/${id}`];
    const tags = await Promise.all(
      paths.map(async (path) => (await service.ask('GET', path, { as: 'client' })).headers.get('etag')),
    );
    const { job } = await graphql('query V($id: UUID!) { job(id: $id) { versionId } }', { id });
    expect(tags).toEqual([`"${job.versionId}"`, `"${job.versionId}"`]);
    const [first = ''] = tags;
    for (const path of paths) {
      expect((await service.ask('GET', path, { as: 'client', headers: { 'If-None-Match': first ?? '' } })).status).toBe(
        304,
      );
    }
  });

  it('is refused with the same faults in the same words', async () => {
    const bad = { status: 'late', eta: 'soon', location: {}, cargo: { quantity: 'much' } };
    const message = await way(writer)
      .create(bad)
      .then(
        () => 'created',
        (error: Error) => error.message,
      );
    for (const name of NAMES) {
      const other = await way(name)
        .create(bad)
        .then(
          () => 'created',
          (error: Error) => error.message,
        );
      const faults = (text: string) => {
        const { errors } = JSON.parse(text);
        return (errors[0].extensions?.errors ?? errors).map(
          ({ path, message: said }: { path: string; message: string }) => [path.replace(/^\/body/, ''), said],
        );
      };
      expect([name, faults(other)]).toEqual([name, faults(message)]);
    }
  });
});
