import { get } from 'node:http';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../service.ts';
import { shapeA } from './data-api/bodies.ts';

let service: TestService;
let workspace: TestWorkspace;
let legacy: string;
let v2: string;

beforeAll(async () => {
  service = await startTestService();
  workspace = await makeWorkspace(service);
  legacy = `/workspaces/${workspace.id}`;
  v2 = `/v2/workspaces/${workspace.id}`;
});
afterAll(() => service.stop());

const ask = (method: string, path: string, body?: unknown, as: Caller = 'client') =>
  service.ask(method, path, { as, ...(body !== undefined && { body }) });
const makeJob = async (body: object = {}) => (await ask('POST', `${legacy}/jobs`, body)).body.id as string;

describe('a legacy PATCH of a catalog record', () => {
  it.each([{ xtype: 'tests' }, { ownerParty: newId() }, { workspace: newId() }, { colour: 'red' }])(
    'accepts only name and xref: %j',
    async (patch) => {
      const made = await ask('POST', `${legacy}/catalogs/products`, { name: `Mover ${JSON.stringify(patch)}` });
      const path = `${legacy}/catalogs/products/${made.body.id}`;
      const answer = await ask('PATCH', path, patch);
      expect([answer.status, answer.body.errors[0].path]).toEqual([400, `/${Object.keys(patch)[0]}`]);
      expect((await ask('GET', path)).body).toEqual(made.body.body);
      expect((await ask('PATCH', path, { name: `Good ${JSON.stringify(patch)}`, xref: null })).status).toBe(200);
    },
  );
});

describe('an empty parameter', () => {
  it('matches only the empty text when filtering a text', async () => {
    const [full, empty] = [
      { name: 'Full', xref: 'F' },
      { name: 'Empty', xref: '' },
    ];
    for (const body of [full, empty]) await ask('POST', `${legacy}/catalogs/tests`, body);
    const found = await ask('GET', `${legacy}/catalogs/tests?xref=`);
    expect(found.body.map(({ body }: { body: object }) => body)).toEqual([empty]);
    expect((await ask('GET', `${legacy}/catalogs/tests?name=`)).body).toEqual([]);
  });

  it.each(['jobs?eta=', 'jobs?location=', 'jobs?requested.quality=', 'jobs?offset=', 'jobs?offset=null'])(
    'is 400 for a field that is not a text: %s',
    async (path) => {
      expect((await ask('GET', `${legacy}/${path}`)).status).toBe(400);
    },
  );

  it.each(['dateModifiedFrom', 'dateModifiedTo', 'clientCodes', 'page', 'resultsPerPage'])(
    'is 400 in a search: %s',
    async (name) => {
      const answer = await ask('GET', `/api/rest/1.0/ports?${name}=`);
      expect([answer.status, answer.body.errors[0].parameter]).toEqual([400, name]);
    },
  );

  it('counts as none for the limit', async () => {
    for (const limit of ['', 'null']) expect((await ask('GET', `${legacy}/jobs?limit=${limit}`)).status).toBe(200);
  });

  it('with a + in its UTC offset explains how to write it', async () => {
    const at = '2026-01-01T00:00:00+02:00';
    for (const path of [
      `/api/rest/1.0/ports?dateModifiedFrom=${at}`,
      `${legacy}/jobs?eta=${at}`,
      `${v2}/documents?type=svc.inspection.job&filter[eta]=${at}`,
    ])
      expect((await ask('GET', path)).body.errors[0].message).toMatch(/; a \+ in an address must be written as %2B\.$/);
  });
});

describe('schema and meta.workspace', () => {
  it('filter and sort like the rest of the envelope', async () => {
    const id = await makeJob();
    const list = (query: string) => ask('GET', `${v2}/documents?type=svc.inspection.job&${query}`);
    const { schema, meta } = (await ask('GET', `${v2}/documents/${id}`)).body;
    const ids = async (query: string) => (await list(query)).body.map((one: { id: string }) => one.id);
    expect(await ids(`filter[schema]=${schema}`)).toContain(id);
    expect(await ids(`filter[meta.workspace]=${meta.workspace}`)).toContain(id);
    expect(await ids(`filter[schema]=${newId()}`)).toEqual([]);
    expect(await ids(`filter[meta.workspace]=${newId()}`)).toEqual([]);
    expect(await ids('sort=schema,meta.workspace:desc')).toContain(id);
    expect((await list('filter[schema]=x')).status).toBe(400);
    expect((await ask('GET', `${legacy}/jobs?meta.workspace=${workspace.id}&sort=schema`)).body).not.toEqual([]);
    expect((await ask('GET', '/bridge/v1/data/jobs?sort=meta.workspace,schema:desc')).status).toBe(200);
  });
});

describe('a parent', () => {
  it('cannot be below its child', async () => {
    const a = await makeJob();
    const b = await makeJob({ parent: a });
    const c = await makeJob({ parent: b });
    for (const parent of [a, b, c]) {
      const answer = await ask('PATCH', `${legacy}/jobs/${a}`, { parent });
      expect([answer.status, answer.body.errors[0].path]).toEqual([400, '/parent']);
    }
    expect((await ask('PATCH', `${legacy}/jobs/${c}`, { parent: a })).status).toBe(200);
  });

  it('cannot be below its child when two documents move at once, not even through others in between', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await makeJob(), await makeJob()];
      const [c, e] = [await makeJob({ parent: b }), await makeJob({ parent: a })];
      const moves = await Promise.all([
        ask('PATCH', `${legacy}/jobs/${a}`, { parent: c }),
        ask('PATCH', `${legacy}/jobs/${b}`, { parent: e }),
      ]);
      expect(moves.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });
});

describe('a leap second', () => {
  it('is read as the next second', async () => {
    const parent = await makeJob({ eta: '2026-06-30T23:59:60Z' });
    expect(
      (await ask('GET', `${legacy}/jobs?eta=2026-07-01T00:00:00Z`)).body.map(({ id }: { id: string }) => id),
    ).toEqual([parent]);
    const log = (start: string, end: string) => ask('POST', `${legacy}/jobs/${parent}/timelog`, { start, end });
    expect((await log('2026-06-30T23:59:60Z', '2026-06-30T23:59:59Z')).status).toBe(400);
    expect((await log('2026-06-30T23:59:60Z', '2026-07-01T00:00:00Z')).status).toBe(201);
  });

  it.each([
    ['2016-12-31T23:59:60Z', 201],
    ['2024-02-29T23:59:60.5z', 201],
    ['2016-12-31T15:59:60-08:00', 201],
    ['2017-01-01 05:29:60+0530', 201],
    ['2026-06-30T10:00:60Z', 400],
    ['2026-06-29T23:59:60Z', 400],
    ['2023-02-29T23:59:60Z', 400],
    ['2016-12-31T23:59:60-08:00', 400],
    ['2016-12-31T23:58:60Z', 400],
  ])('exists only at the end of a month in UTC: %s is %i', async (eta, status) => {
    const answer = await ask('POST', `${legacy}/jobs`, { eta });
    expect([answer.status, answer.body.errors?.[0].path]).toEqual([status, status === 400 ? '/eta' : undefined]);
  });

  it.each([
    ['a filter', () => `${legacy}/jobs?eta=`, 'eta'],
    ['a filter of v2', () => '/v2/organizations?filter[created_at]=', 'filter[created_at]'],
    ['the start of a search', () => '/api/rest/1.0/ports?dateModifiedFrom=', 'dateModifiedFrom'],
    ['the end of a search', () => '/api/rest/1.0/ports?dateModifiedTo=', 'dateModifiedTo'],
  ])('is just as rare in %s', async (_, address, parameter) => {
    expect((await ask('GET', `${address()}2026-06-30T23:59:60Z`)).status).toBe(200);
    const { status, body } = await ask('GET', `${address()}2026-06-30T10:00:60Z`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ parameter })]]);
  });

  it('is just as rare in an argument of GraphQL', async () => {
    const found = async (eta: string) =>
      (await ask('POST', '/graphql', { query: `{ jobs(where: { eta: { lte: "${eta}" } }) { totalCount } }` })).body;
    expect(await found('2026-06-30T23:59:60Z')).not.toHaveProperty('errors');
    expect((await found('2026-06-30T10:00:60Z')).errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
  });

  it('stored elsewhere by earlier versions is still read, and may stay', async () => {
    const job = await makeJob({ notes: 'a' });
    await service.stores.db
      .collection<{ _id: string }>('documents')
      .updateOne({ _id: job }, { $set: { 'body.eta': '2026-06-30T10:00:60Z' } });
    const { status, body } = await ask('PATCH', `${legacy}/jobs/${job}`, { notes: 'b' });
    expect([status, body]).toEqual([200, expect.objectContaining({ eta: '2026-06-30T10:00:60Z', notes: 'b' })]);
    expect((await ask('GET', `${legacy}/jobs?eta=2026-06-30T10:01:00Z`)).body).toMatchObject([{ id: job }]);
  });
});

describe('a malformed body', () => {
  it.each([
    ['legacy job', () => `${legacy}/jobs/${newId()}`, { status: 'zz' }],
    ['legacy record', () => `${legacy}/catalogs/products/${newId()}`, { name: 1 }],
    ['legacy workspace', () => `/workspaces/${newId()}`, { description: 1 }],
    ['v2 organization', () => `/v2/organizations/${newId()}`, { body: { name: 1 } }],
    ['v2 workspace', () => `/v2/workspaces/${newId()}`, { body: { description: 1 } }],
    ['v2 xref', () => `${v2}/xrefs/products/${newId()}`, { body: { name: 1 } }],
    ['v2 document', () => `${v2}/documents/${newId()}`, { body: { $where: 1 } }],
    ['v2 document of any type', () => `${v2}/documents/${newId()}`, { body: { workspace: 5 } }],
    ['legacy result', () => `${legacy}/jobs/${newId()}/quality/${newId()}`, { setNumber: 'one' }],
  ])('is 400 before an unknown id is 404: %s', async (_, path, body) => {
    expect((await ask('PATCH', path(), body)).status).toBe(400);
  });
});

describe('meaningless input', () => {
  it('is refused: null measurements', async () => {
    const job = await makeJob();
    const answer = await ask('POST', `${legacy}/jobs/${job}/quantity`, { direction: 'source', measurements: [null] });
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, '/measurements/0']);
  });

  it.each(['.', '..', '%2E%2E'])('is refused: the xtype %s', async (xtype) => {
    const { hostname, port } = new URL(service.url);
    const status = await new Promise((resolve) => {
      const headers = { authorization: 'Bearer demo-client-key' };
      get({ hostname, port, path: `${v2}/xrefs/${xtype}`, headers }, (answer) => resolve(answer.resume().statusCode));
    });
    expect(status).toBe(400);
    const mutation =
      'mutation($w: UUID!, $c: String!) { createCatalogRecord(workspace: $w, catalog: $c, body: {name: "A"}) { id } }';
    const { body } = await service.graphql(mutation, { w: workspace.id, c: decodeURIComponent(xtype) });
    expect(body.errors[0].extensions.code).toBe('INVALID_INPUT');
  });

  it('is refused: a Data API job without any job member', async () => {
    for (const name of ['foo', 'toString', 'constructor'])
      expect((await ask('POST', '/bridge/v1/data/jobs', { [name]: 'bar' })).status).toBe(400);
    expect((await ask('POST', '/bridge/v1/data/jobs', { foo: 'bar', notes: 'x' })).status).toBe(201);
  });
});

describe('members of a reference beside id, xref and name', () => {
  const shown = async (id: string) => {
    const jobs = (await ask('GET', '/bridge/v1/data/jobs')).body as { id: string; body: Record<string, unknown> }[];
    return jobs.find((job) => job.id === id)?.body;
  };
  const port = { name: 'Kept Port', country: 'NL', berth: { no: 7 } };
  const writers: Record<string, (body: object) => Promise<string>> = {
    legacy: makeJob,
    v2: async (body) => (await ask('POST', `${v2}/documents`, { type: 'svc.inspection.job', body })).body.id,
    'a bulk': async (body) => {
      const bulk = { type: 'svc.inspection.job', body: [{ location: { name: 'Another', country: 'BE' } }, body] };
      return (await ask('POST', `${v2}/documents/bulk`, bulk)).body[1].id;
    },
    graphql: async (body) => {
      const mutation = 'mutation($w: UUID!, $b: JobBody!) { createJob(workspace: $w, body: $b) { id } }';
      return (await service.graphql(mutation, { w: workspace.id, b: body })).body.data.createJob.id;
    },
  };

  it.each(Object.keys(writers))('are kept, and returned by the Data API: sent through %s', async (way) => {
    const transports = [
      { name: 'MV One', imo: '1' },
      { name: 'MV Two', flag: 'PA' },
    ];
    const cargo = { quantity: 5, uom: { name: 'MT', system: 'SI' }, product: { name: 'Oil', cn: '2710' } };
    const id = String(await writers[way]?.({ location: port, transports, cargo }));
    expect(await shown(id)).toMatchObject({
      location: { ...port, id: expect.any(String) },
      transports,
      cargo: { quantity: { value: 5, uom: cargo.uom }, product: cargo.product },
    });
    const { body } = await ask('GET', `${legacy}/jobs/${id}`);
    expect(body.location).toMatch(/^[0-9a-f-]{36}$/);
    await ask('PATCH', `${legacy}/jobs/${id}`, { transports: [{ name: 'mv two' }, { name: 'MV Three' }], notes: 'x' });
    const after = await shown(id);
    expect(after?.location).toMatchObject(port);
    expect(after?.transports).toMatchObject([{ name: 'MV Two', flag: 'PA' }, { name: 'MV Three' }]);
  });

  it('disappear once the reference names another record, and change with the named record', async () => {
    const id = await makeJob({ location: port });
    const path = `${legacy}/jobs/${id}`;
    const versions = [(await ask('GET', path)).headers.get('etag')];
    for (const country of ['BE', 'BE']) {
      const changed = await ask('PATCH', path, { location: { name: 'Kept Port', country } });
      versions.push(changed.headers.get('etag'));
    }
    expect(new Set(versions).size).toBe(2);
    expect((await shown(id))?.location).toMatchObject({ ...port, country: 'BE' });
    await ask('PATCH', path, { location: { name: 'Other Port' } });
    await ask('PATCH', path, { location: { name: 'Kept Port' } });
    expect(Object.keys((await shown(id))?.location as object).sort()).toEqual(['id', 'name']);
  });
});

describe('Shape A with retain', () => {
  const post = (change: object) => ask('POST', '/bridge/v1/data/jobs', { ...shapeA(workspace), ...change });

  it('is accepted if it fits only the submit form', async () => {
    const [client, vendor] = [{ name: workspace.names.client }, { name: workspace.names.vendor }];
    expect((await post({ client, vendor })).status).toBe(201);
  });

  it('reports the faults of the closer form if it fits neither', async () => {
    const answer = await post({ retain: 'yes', region: 1, tripNumber: 2 });
    expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      '/region',
      '/retain',
      '/tripNumber',
    ]);
  });
});
