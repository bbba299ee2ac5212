import { describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const createJob = (body: object, as: 'client' | 'vendor' = 'vendor') =>
  service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as, body });

const addRecord = async (catalog: string, body: object, as: 'client' | 'vendor' = 'vendor') => {
  const { body: answer } = await service.graphql(
    'mutation Add($w: UUID!, $c: String!, $b: CatalogRecordBody!) { createCatalogRecord(workspace: $w, catalog: $c, body: $b) { id } }',
    { w: workspace.id, c: catalog, b: body },
    as,
  );
  return answer.data.createCatalogRecord.id as string;
};

const records = async (catalog: string) => {
  const { body } = await service.graphql(
    'query Records($w: UUID!, $c: String!) { catalogRecords(workspace: $w, catalog: $c, first: 1000) { nodes { id name xref owner { id } } } }',
    { w: workspace.id, c: catalog },
  );
  return body.data.catalogRecords.nodes as { id: string; name: string; xref: string | null; owner: { id: string } }[];
};

describe('catalog references in a body', () => {
  it('create a missing record, owned by the party of the caller', async () => {
    const { status, body } = await createJob({ location: { name: 'Port Ellery', xref: 'PE' } });
    expect(status).toBe(201);
    const [record] = (await records('locations')).filter(({ name }) => name === 'Port Ellery');
    expect(record).toEqual({
      id: body.body.location,
      name: 'Port Ellery',
      xref: 'PE',
      owner: { id: workspace.vendor },
    });
  });

  it('create one record when fifty requests name the same new vessel at once', async () => {
    const names = ['MV Fifty', ' mv fifty ', 'Mv FIFTY'];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        createJob({ transports: [{ name: names[i % 3] }] }, i % 2 ? 'client' : 'vendor'),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(new Set(answers.map(({ body }) => body.body.transports[0])).size).toBe(1);
    const vessels = await records('transports');
    expect(vessels.filter(({ name }) => /fifty/i.test(name))).toHaveLength(1);
  });

  it('resolve to one record when one body names it twice', async () => {
    const { body } = await createJob({ transports: [{ name: 'MV Twice' }, { name: 'mv twice', xref: 'T2' }] });
    expect(body.body.transports[0]).toBe(body.body.transports[1]);
  });

  it('match by xref among the records of the own party before the name', async () => {
    const byXref = await addRecord('products', { name: 'Gasoil 10 ppm', xref: 'P-1' });
    await addRecord('products', { name: 'Diesel' });
    const { body } = await createJob({ cargo: { product: { xref: 'P-1', name: 'Diesel' } } });
    expect(body.body.cargo.product).toBe(byXref);
  });

  it("match another party's record by its name, not by its xref", async () => {
    const theirs = await addRecord('products', { name: 'Naphtha', xref: 'N-1' }, 'client');
    const byName = await createJob({ cargo: { product: { name: 'NAPHTHA ', xref: 'N-9' } } });
    expect(byName.body.body.cargo.product).toBe(theirs);
    const byXref = await createJob({ cargo: { product: { xref: 'N-1' } } });
    expect(byXref.body.body.cargo.product).not.toBe(theirs);
  });

  it('set their xref on a record of the own party that has none', async () => {
    const id = await addRecord('uom', { name: 'MT' });
    await createJob({ cargo: { uom: { name: 'mt', xref: 'U-1' } } });
    expect((await records('uom')).find((record) => record.id === id)?.xref).toBe('U-1');
    const theirs = await addRecord('uom', { name: 'BBL' }, 'client');
    await createJob({ cargo: { uom: { name: 'BBL', xref: 'U-2' } } });
    expect((await records('uom')).find((record) => record.id === theirs)?.xref).toBeNull();
  });

  it('accept a record id, which wins over the other members', async () => {
    const id = await addRecord('locations', { name: 'Harwick' });
    const plain = await createJob({ location: id.toUpperCase() });
    expect(plain.body.body.location).toBe(id);
    const object = await createJob({ location: { id, name: 'Elsewhere', xref: null } });
    expect(object.body.body.location).toBe(id);
    expect((await records('locations')).some(({ name }) => name === 'Elsewhere')).toBe(false);
  });

  it('are refused when the id is not a record of that catalog in this workspace', async () => {
    const product = await addRecord('products', { name: 'Bitumen' });
    const wrongCatalog = await createJob({ location: product });
    expect(wrongCatalog.status).toBe(400);
    expect(wrongCatalog.body.errors).toEqual([{ path: '/location', message: expect.stringContaining(product) }]);
    const other = await makeWorkspace(service);
    const elsewhere = await service.ask('POST', `/workspaces/${other.id}/jobs`, {
      as: 'vendor',
      body: { cargo: { product } },
    });
    expect(elsewhere.status).toBe(400);
  });

  it.each([
    [{ location: {} }, '/location'],
    [{ location: { xref: null, name: null } }, '/location'],
    [{ location: { name: '  ' } }, '/location'],
    [{ location: 'Rotterdam' }, '/location'],
    [{ location: 7 }, '/location'],
    [{ transports: [{ name: 'MV Good' }, null] }, '/transports/1'],
    [{ transports: [{ name: 'MV Good' }, {}] }, '/transports/1'],
    [{ transports: { name: 'MV Good' } }, '/transports'],
  ])('are refused when empty: %j', async (body, path) => {
    const answer = await createJob(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  it('with a member of another type are refused at the place of that member, by every family', async () => {
    const transports = [
      { name: 'MV Good', xref: 4711 },
      { name: true, id: 'x' },
    ];
    const body = { transports, location: { id: 5, name: 'Hull' } };
    const places = ['/location/id', '/transports/0/xref', '/transports/1/id', '/transports/1/name'];
    const placesOf = async (method: string, path: string, sent: object) => {
      const answer = await service.ask(method, path, { as: 'vendor', body: sent });
      expect(answer.status).toBe(400);
      return answer.body.errors.map(({ path: place }: { path: string }) => place).toSorted();
    };
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const { id } = (await createJob({ refNumber: 'R' })).body;
    expect(await placesOf('POST', jobs, body)).toEqual(places);
    expect(await placesOf('PATCH', `${jobs}/${id}`, body)).toEqual(places);
    expect(await placesOf('POST', '/bridge/v1/data/jobs', body)).toEqual(places);
    const document = { type: 'svc.inspection.job', body };
    expect(await placesOf('POST', `/v2${jobs.replace('jobs', 'documents')}`, document)).toEqual(
      places.map((place) => `/body${place}`),
    );
  });

  it('of a refused document leave no record behind', async () => {
    const refused = await createJob({
      location: { name: 'Nowhere Bay' },
      parent: '0190a000-0000-7000-8000-000000000000',
    });
    expect(refused.status).toBe(400);
    const alsoRefused = await createJob({ location: { name: 'Nowhere Bay' }, cargo: { product: workspace.id } });
    expect(alsoRefused.status).toBe(400);
    expect((await records('locations')).some(({ name }) => name === 'Nowhere Bay')).toBe(false);
  });

  it('may be null, which is no reference and comes back as sent', async () => {
    const { status, body } = await createJob({ location: null, refNumber: null });
    expect([status, body.body.location, body.body.refNumber]).toEqual([201, null, null]);
  });

  it('create records in an update too, in one transaction with it', async () => {
    const { body: job } = await createJob({ refNumber: 'U1' });
    const path = `/workspaces/${workspace.id}/jobs/${job.id}`;
    const patched = await service.ask('PATCH', path, {
      as: 'client',
      body: { vendor: { name: 'Brightwater Surveys' } },
    });
    expect(patched.status).toBe(200);
    const [record] = await records('vendors');
    expect(patched.body.vendor).toBe(record?.id);
    expect(record?.owner.id).toBe(workspace.client);
    const refused = await service.ask('PATCH', path, {
      as: 'client',
      body: { client: { name: 'New Owner' }, status: 'late' },
    });
    expect(refused.status).toBe(400);
    expect(await records('clients')).toEqual([]);
  });
});

describe('a catalog record', () => {
  it('is not deleted while documents refer to it, and the message says how many', async () => {
    const id = await addRecord('locations', { name: 'Held Harbour' });
    const first = await createJob({ location: id });
    await createJob({ location: id });
    const remove = () =>
      service.graphql('mutation Remove($w: UUID!, $id: UUID!) { deleteCatalogRecord(workspace: $w, id: $id) { id } }', {
        w: workspace.id,
        id,
      });
    const held = await remove();
    expect(held.body.errors[0]).toMatchObject({
      message: expect.stringContaining('2 documents'),
      extensions: { code: 'IN_USE' },
    });
    for (const job of (await service.ask('GET', `/workspaces/${workspace.id}/jobs?location=${id}`, { as: 'client' }))
      .body) {
      await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${job.id}`, { as: 'client' });
    }
    expect((await remove()).body.data.deleteCatalogRecord.id).toBe(id);
    expect(first.status).toBe(201);
  });

  it('never leaves a referring document behind when both happen at once', async () => {
    for (let round = 0; round < 15; round++) {
      const id = await addRecord('locations', { name: `Contested ${round}` });
      const [created, removed] = await Promise.all([
        createJob({ location: id }),
        service.graphql(
          'mutation Remove($w: UUID!, $id: UUID!) { deleteCatalogRecord(workspace: $w, id: $id) { id } }',
          { w: workspace.id, id },
        ),
      ]);
      const gone = removed.body.errors === undefined;
      expect(created.status).toBe(gone ? 400 : 201);
      const jobs = await service.ask('GET', `/workspaces/${workspace.id}/jobs?location=${id}`, { as: 'client' });
      expect(jobs.body).toHaveLength(gone ? 0 : 1);
    }
  });

  it('has an xref unique for its owner in the catalog', async () => {
    await addRecord('tests', { name: 'Density', xref: 'X1' });
    const add = (body: object, as: 'client' | 'vendor') =>
      service.graphql(
        'mutation Add($w: UUID!, $b: CatalogRecordBody!) { createCatalogRecord(workspace: $w, catalog: "tests", body: $b) { id } }',
        { w: workspace.id, b: body },
        as,
      );
    expect((await add({ name: 'Other', xref: 'X1' }, 'vendor')).body.errors[0].extensions.code).toBe('XREF_TAKEN');
    expect((await add({ name: 'Other', xref: 'X1' }, 'client')).body.errors).toBeUndefined();
  });
});
