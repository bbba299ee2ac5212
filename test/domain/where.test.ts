import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';

let service: TestService;
let workspace: { id: string; client: string; vendor: string };
let other: { id: string };

const JOBS = [
  {
    tripNumber: 'load',
    status: 'active',
    activity: 'load',
    eta: '2026-03-01T12:00:00+02:00',
    cargo: { product: { xref: 'GO', name: 'Gasoil' }, quantity: 10.5, uom: { name: 'MT' } },
    requested: { quality: true },
    location: { name: 'Port A' },
    transports: [{ name: 'MV One', xref: '1' }],
    refNumber: 'KST (1) a.b*c',
  },
  {
    tripNumber: 'sample',
    status: 'pending',
    eta: '2026-03-02',
    cargo: { product: { name: 'Fuel' }, quantity: 0 },
    requested: { quality: false },
    location: { name: 'Port B', xref: 'B' },
    transports: [{ name: 'MV One', xref: '1' }, { name: 'MV Two' }],
    refNumber: 'KST 2 A.B*C',
  },
  { tripNumber: 'far', eta: '2027-01-01T00:00:00Z', location: { name: 'Nordhafen' }, refNumber: 'a\nb\0c' },
  { tripNumber: 'bare', region: 'ARA', sampleDate: '2026-01-01' },
];

const QUALITY = [
  {
    parent: 'load',
    test: 'Density',
    result: '0.84',
    isOffSpec: false,
    sample: 'TK-1',
    testDate: '2026-03-01T00:00:00Z',
  },
  { parent: 'load', test: 'Sulphur', result: '12', isOffSpec: true, sample: 'TK-1', date: '2026-03-03T00:00:00Z' },
  { parent: 'sample', test: 'Density', result: '0.99', isOffSpec: true, sample: 'TK-2', date: null },
];

beforeAll(async () => {
  service = await startTestService();
  workspace = await makeWorkspace(service, 'North Sea');
  other = await makeWorkspace(service, 'Baltic');
  const ids = new Map<string, string>();
  for (const body of JOBS) {
    const { body: job, status } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
    expect(status).toBe(201);
    ids.set(body.tripNumber, job.id);
  }
  await service.ask('POST', `/workspaces/${other.id}/jobs`, {
    as: 'client',
    body: { tripNumber: 'baltic', location: { name: 'Port A' }, status: 'active' },
  });
  for (const { parent, test, sample, ...rest } of QUALITY) {
    const body = { ...rest, test: { name: test }, sample: { location: sample }, method: { name: `ASTM ${test}` } };
    const { status } = await service.ask('POST', `/workspaces/${workspace.id}/jobs/${ids.get(parent)}/quality`, {
      as: 'vendor',
      body,
    });
    expect(status).toBe(201);
  }
  for (const [direction, value] of [
    ['source', 100],
    ['destination', 90],
  ] as const) {
    await service.ask('POST', `/workspaces/${workspace.id}/jobs/${ids.get('load')}/quantity`, {
      as: 'vendor',
      body: {
        direction,
        measurements: [
          { code: 'GSV', value, uom: { name: 'm3' } },
          { code: 'TCV', value: value + 1, uom: { name: 'bbl' } },
        ],
      },
    });
  }
});
afterAll(() => service.stop());

const ask = async (query: string, variables: object, as: 'client' | 'stranger' = 'client') =>
  (await service.graphql(query, variables, as)).body;

const LIST =
  'query L($w: UUID, $where: JobWhere, $order: [JobOrder!]) { jobs(workspace: $w, where: $where, order: $order) { nodes { tripNumber } totalCount } }';
const listed = async (where: object, w: string | null = workspace.id) => {
  const { data, errors } = await ask(LIST, { w, where });
  expect(errors).toBeUndefined();
  const names = data.jobs.nodes.map(({ tripNumber }: { tripNumber: string }) => tripNumber);
  expect(data.jobs.totalCount).toBe(names.length);
  return names.sort();
};

describe('a typed filter', () => {
  it.each<[string, object, string[]]>([
    ['nothing', {}, ['bare', 'far', 'load', 'sample']],
    ['equality', { status: { eq: 'active' } }, ['load']],
    ['absence by null', { status: { eq: null } }, ['bare', 'far']],
    ['any of several', { status: { in: ['active', 'pending'] } }, ['load', 'sample']],
    ['any of several or absent', { status: { in: ['active', null] } }, ['bare', 'far', 'load']],
    ['any of none', { status: { in: [] } }, []],
    ['difference, absent values kept', { status: { ne: 'active' } }, ['bare', 'far', 'sample']],
    ['presence', { status: { exists: true } }, ['load', 'sample']],
    ['absence', { eta: { exists: false } }, ['bare']],
    ['values outside an enumeration', { status: { eq: 'late' } }, []],
    ['numbers', { cargo: { quantity: { gt: 0 } } }, ['load']],
    ['numbers, bounds included', { cargo: { quantity: { gte: 0, lte: 10.5 } } }, ['load', 'sample']],
    ['numbers below', { cargo: { quantity: { lt: 10.5 } } }, ['sample']],
    ['yes and no', { requested: { quality: { eq: false } } }, ['sample']],
    ['instants across offsets', { eta: { eq: '2026-03-01T10:00:00Z' } }, ['load']],
    ['instants from', { eta: { gte: '2026-03-01T10:00:00.001Z' } }, ['far', 'sample']],
    ['instants between', { eta: { gt: '2026-03-01', lt: '2026-12-31T00:00:00-05:00' } }, ['load', 'sample']],
    ['a part of a text, whatever the letter case', { refNumber: { contains: 'kst' } }, ['load', 'sample']],
    ['a part with signs of patterns', { refNumber: { contains: 'A.b*C' } }, ['load', 'sample']],
    ['a part with brackets', { refNumber: { contains: '(1)' } }, ['load']],
    ['a part that would be a pattern', { refNumber: { contains: '.*' } }, []],
    ['a part with a line break and a NUL', { refNumber: { contains: 'A\nB\0' } }, ['far']],
    ['an empty part, which every text has', { refNumber: { contains: '' } }, ['far', 'load', 'sample']],
    ['the name of a related record', { location: { name: { eq: 'Port A' } } }, ['load']],
    ['the name of a related record, letter case included', { location: { name: { eq: 'port a' } } }, []],
    ['a part of the name of a related record', { location: { name: { contains: 'PORT' } } }, ['load', 'sample']],
    ['the xref of a related record', { location: { xref: { eq: 'B' } } }, ['sample']],
    ['one of several related records', { transports: { name: { in: ['MV Two'] } } }, ['sample']],
    [
      'one related record by two of its fields',
      { transports: { name: { eq: 'MV One' }, xref: { eq: '1' } } },
      ['load', 'sample'],
    ],
    ['two fields that no one record has', { transports: { name: { eq: 'MV Two' }, xref: { eq: '1' } } }, []],
    ['no related record of a name', { not: { transports: { name: { eq: 'MV Two' } } } }, ['bare', 'far', 'load']],
    ['no related record at all', { location: null }, ['bare']],
    ['a related record inside a group', { cargo: { product: { name: { contains: 'oil' } } } }, ['load']],
    [
      'the owner of a related record',
      { location: { owner: { name: { contains: 'aldermoor' } } } },
      ['far', 'load', 'sample'],
    ],
    ['all of several', { and: [{ status: { eq: 'active' } }, { activity: { eq: 'load' } }] }, ['load']],
    [
      'any of several conditions',
      { or: [{ status: { eq: 'pending' } }, { location: { name: { eq: 'Nordhafen' } } }] },
      ['far', 'sample'],
    ],
    ['any of no conditions', { or: [] }, []],
    ['none', { not: { or: [{ status: { eq: 'pending' } }, { status: { eq: null } }] } }, ['load']],
    [
      'conditions beside each other',
      { status: { eq: 'active' }, or: [{ tripNumber: { eq: 'load' } }, { tripNumber: { eq: 'far' } }] },
      ['load'],
    ],
    ['the workspace', { workspace: { description: { contains: 'north' } } }, ['bare', 'far', 'load', 'sample']],
    ['what family A says of its jobs', { region: { eq: 'ARA' } }, ['bare']],
    ['another workspace', { workspace: { description: { eq: 'Baltic' } } }, []],
  ])('finds by %s', async (_what, where, expected) => {
    expect(await listed(where)).toEqual(expected);
  });

  it('finds across workspaces what the caller may see, and no more', async () => {
    expect(await listed({ location: { name: { eq: 'Port A' } } }, null)).toEqual(['baltic', 'load']);
    expect(
      await listed(
        { workspace: { vendor: { organization: { name: { contains: 'BRIGHT' } } } }, status: { eq: 'active' } },
        null,
      ),
    ).toEqual(['baltic', 'load']);
    expect(await listed({ workspaceId: { eq: other.id } }, null)).toEqual(['baltic']);
    const { data } = await ask(LIST, { where: { location: { name: { contains: 'Port' } } } }, 'stranger');
    expect(data.jobs).toEqual({ nodes: [], totalCount: 0 });
  });

  it('takes literals and variables, the first time and later', async () => {
    const query = `query Q($from: DateTime, $part: String) { jobs(workspace: "${workspace.id}", where: { eta: { gte: $from }, or: [{ refNumber: { contains: $part } }, { location: { name: { eq: "Nordhafen" } } }] }, order: [{ eta: desc }]) { nodes { tripNumber } } }`;
    for (const [variables, expected] of [
      [{ from: '2026-03-02', part: 'KST 2' }, ['far', 'sample']],
      [{ from: '2026-06-01', part: 'KST 2' }, ['far']],
      [{ part: 'KST' }, ['far', 'sample', 'load']],
      [{ from: '2026-03-02', part: 'KST 2' }, ['far', 'sample']],
    ] as const) {
      const { data, errors } = await ask(query, variables);
      expect([errors, data?.jobs.nodes.map(({ tripNumber }: { tripNumber: string }) => tripNumber)]).toEqual([
        undefined,
        expected,
      ]);
    }
  });

  it('stands beside untyped filters', async () => {
    const query =
      'query Q($w: UUID!) { jobs(workspace: $w, filter: [{ field: "location.name", anyOf: ["Port A", "Port B"] }], where: { status: { ne: "active" } }) { nodes { tripNumber } } }';
    expect((await ask(query, { w: workspace.id })).data.jobs.nodes).toEqual([{ tripNumber: 'sample' }]);
  });
});

describe('a typed filter of results', () => {
  const results = async (where: object) => {
    const { data, errors } = await ask(
      'query Q($where: QualityResultWhere) { qualityResults(where: $where, order: [{ result: asc }]) { nodes { result } } }',
      { where },
    );
    expect(errors).toBeUndefined();
    return data.qualityResults.nodes.map(({ result }: { result: string }) => result);
  };
  it.each<[string, object, string[]]>([
    ['test', { test: { name: { eq: 'Density' } } }, ['0.84', '0.99']],
    ['method', { method: { name: { contains: 'sulphur' } } }, ['12']],
    ['verdict', { isOffSpec: { eq: true } }, ['0.99', '12']],
    ['sample', { sample: { location: { eq: 'TK-1' } } }, ['0.84', '12']],
    ['date under either spelling', { date: { gte: '2026-03-01', lte: '2026-03-03' } }, ['0.84', '12']],
    ['job', { job: { tripNumber: { eq: 'load' } } }, ['0.84', '12']],
    [
      'place of the job, through two relations',
      { job: { location: { name: { eq: 'Port B' } } }, isOffSpec: { eq: true } },
      ['0.99'],
    ],
  ])('finds by %s', async (_what, where, expected) => {
    expect(await results(where)).toEqual(expected);
  });

  it('finds by one item of a list as a whole', async () => {
    const query = 'query Q($where: QuantityResultWhere) { quantityResults(where: $where) { nodes { direction } } }';
    const found = async (measurements: object) =>
      (await ask(query, { where: { measurements } })).data.quantityResults.nodes
        .map(({ direction }: { direction: string }) => direction)
        .sort();
    expect(await found({ code: { eq: 'GSV' }, value: { gte: 100 } })).toEqual(['source']);
    expect(await found({ code: { eq: 'GSV' }, value: { gte: 101 } })).toEqual([]);
    expect(await found({ code: { eq: 'TCV' }, uom: { name: { eq: 'bbl' } } })).toEqual(['destination', 'source']);
    expect(await found({ code: { eq: 'TCV' }, uom: { name: { eq: 'm3' } } })).toEqual([]);
  });
});

describe('a typed filter of the other lists', () => {
  it.each<[string, string, object, (data: never) => unknown, unknown]>([
    [
      'workspaces',
      'query Q($where: WorkspaceWhere) { workspaces(where: $where) { nodes { description } } }',
      { description: { contains: 'BALT' } },
      ({ workspaces }) => (workspaces as { nodes: unknown }).nodes,
      [{ description: 'Baltic' }],
    ],
    [
      'organizations',
      'query Q($where: OrganizationWhere) { organizations(where: $where) { totalCount } }',
      { name: { contains: 'aldermoor' }, category: { eq: 'shipper' } },
      ({ organizations }) => organizations,
      { totalCount: 2 },
    ],
    [
      'documents',
      'query Q($where: DocumentWhere) { documents(type: "svc.inspection.job", where: $where) { totalCount } }',
      { parentId: { exists: true } },
      ({ documents }) => documents,
      { totalCount: 0 },
    ],
  ])('finds %s', async (_what, query, where, read, expected) => {
    const { data, errors } = await ask(query, { where });
    expect(errors).toBeUndefined();
    expect(read(data as never)).toEqual(expected);
  });

  it('finds catalog records', async () => {
    const query =
      'query Q($w: UUID!, $where: CatalogRecordWhere) { catalogRecords(workspace: $w, where: $where, order: [{ name: asc }]) { nodes { name } } }';
    for (const [where, expected] of [
      [{ catalog: { eq: 'locations' }, name: { contains: 'port' } }, ['Port A', 'Port B']],
      [{ catalog: { in: ['methods'] } }, ['ASTM Density', 'ASTM Sulphur']],
      [{ xref: { in: ['B', 'GO'] } }, ['Gasoil', 'Port B']],
      [{ name: { eq: 'MV One' } }, ['MV One']],
      [{ owner: { id: { eq: workspace.vendor } }, catalog: { eq: 'tests' } }, ['Density', 'Sulphur']],
    ] as const) {
      const { data } = await ask(query, { w: workspace.id, where });
      expect(data.catalogRecords.nodes.map(({ name }: { name: string }) => name)).toEqual(expected);
    }
  });
});

describe('a typed filter of reference records', () => {
  it('finds and orders them by what they hold, those of the own tenant alone', async () => {
    for (const [code, name, latitudeDeg] of [
      ['NL1', 'Rotterdam', 51],
      ['NL2', 'Amsterdam', 52],
      ['GB1', 'Immingham', 53],
    ] as const) {
      const body = { name, latitudeDeg, countryCode: code.slice(0, 2), latitudeNs: 'N' };
      expect((await service.ask('PUT', `/api/rest/1.0/ports/${code}`, { as: 'client', body })).status).toBe(201);
    }
    const query =
      'query Q($where: PortWhere, $order: [PortOrder!]) { ports(where: $where, order: $order) { nodes { clientCode } } }';
    const found = async (where: object, order: object[] = [], as: 'client' | 'stranger' = 'client') =>
      (await ask(query, { where, order }, as)).data.ports.nodes.map(
        ({ clientCode }: { clientCode: string }) => clientCode,
      );
    expect(await found({ name: { contains: 'DAM' } })).toEqual(['NL1', 'NL2']);
    expect(await found({ countryCode: { eq: 'NL' } }, [{ latitudeDeg: 'desc' }])).toEqual(['NL2', 'NL1']);
    expect(await found({ latitudeDeg: { gt: 51 } }, [{ clientCode: 'asc' }])).toEqual(['GB1', 'NL2']);
    expect(await found({ clientCode: { in: ['GB1', 'XX'] }, dateModified: { gte: '2020-01-01' } })).toEqual(['GB1']);
    expect(await found({}, [], 'stranger')).toEqual([]);
  });
});

describe('a typed order', () => {
  const ordered = async (order: object[]) => {
    const { data, errors } = await ask(LIST, { w: workspace.id, order });
    expect(errors).toBeUndefined();
    return data.jobs.nodes.map(({ tripNumber }: { tripNumber: string }) => tripNumber);
  };
  it('goes by one field and by the next', async () => {
    expect(await ordered([{ eta: 'asc' }])).toEqual(['bare', 'load', 'sample', 'far']);
    expect(await ordered([{ eta: 'desc' }])).toEqual(['far', 'sample', 'load', 'bare']);
    expect(await ordered([{ status: 'desc' }, { tripNumber: 'desc' }])).toEqual(['sample', 'load', 'far', 'bare']);
    expect(await ordered([{ cargo: { quantity: 'desc' } }, { tripNumber: 'asc' }])).toEqual([
      'load',
      'sample',
      'bare',
      'far',
    ]);
    expect(await ordered([{ createdAt: 'asc' }])).toEqual(['load', 'sample', 'far', 'bare']);
    expect(await ordered([])).toEqual(['bare', 'far', 'sample', 'load']);
  });

  it('is of one field in each step, and in one form', async () => {
    for (const order of [[{ eta: 'asc', status: 'asc' }], [{}], [{ eta: null }], [{ location: 'asc' }]]) {
      expect((await ask(LIST, { w: workspace.id, order })).errors[0].extensions.code).toBe('BAD_USER_INPUT');
    }
    const both = '{ jobs(order: [{ eta: asc }], orderBy: [{ field: "eta" }]) { totalCount } }';
    expect((await ask(both, {})).errors[0].extensions).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ parameter: 'order' }],
    });
  });
});

describe('a typed filter that does not fit', () => {
  it('is refused with every fault by its path', async () => {
    const where = {
      eta: { gte: 'tomorrow', eq: '2026-13-01' },
      or: [{ cargo: { quantity: { lt: null } } }, { status: null }],
      not: null,
      location: { name: { contains: null } },
      cargo: null,
      refNumber: { exists: null, in: null },
    };
    const { errors } = await ask(LIST, { where });
    expect(errors[0].extensions.code).toBe('INVALID_INPUT');
    expect(errors[0].extensions.errors.map(({ parameter }: { parameter: string }) => parameter).sort()).toEqual([
      'where.cargo',
      'where.eta.eq',
      'where.eta.gte',
      'where.location.name.contains',
      'where.not',
      'where.or.0.cargo.quantity.lt',
      'where.or.1.status',
      'where.refNumber.exists',
      'where.refNumber.in',
    ]);
  });

  it.each([
    [{ status: 'active' }],
    [{ status: { eq: { $ne: null } } }],
    [{ status: { $gt: '' } }],
    [{ $where: 'true' }],
    [{ cargo: { quantity: { gt: '1' } } }],
    [{ id: { eq: 'x' } }],
    [{ nothing: { eq: 'x' } }],
    [{ transports: [{ name: { eq: 'x' } }] }],
  ])('is refused by its types: %j', async (where) => {
    expect((await ask(LIST, { where })).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  it('is refused when it is too large or nests too deeply', async () => {
    const many = { or: Array.from({ length: 201 }, () => ({ status: { eq: 'x' } })) };
    expect((await ask(LIST, { where: many })).errors[0].message).toContain('at most 200 comparisons');
    const values = { status: { in: Array.from({ length: 1001 }, String) } };
    expect((await ask(LIST, { where: values })).errors[0].message).toContain('at most 1000 values');
    for (const levels of [20, 5_000]) {
      const deep = `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
      const body = `{"query":${JSON.stringify(LIST)},"variables":{"where":${deep}}}`;
      const answer = await service.ask('POST', '/graphql', { as: 'client', body });
      expect([levels, answer.body.errors[0].extensions.code]).toEqual([
        levels,
        expect.stringMatching(/^(INVALID_INPUT|BAD_USER_INPUT)$/),
      ]);
    }
  });
});

describe('a cursor', () => {
  const PAGE =
    'query P($after: String, $before: String, $first: Int, $last: Int, $where: JobWhere, $order: [JobOrder!]) { jobs(first: $first, last: $last, after: $after, before: $before, where: $where, order: $order) { nodes { tripNumber } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }';
  const where = { location: { name: { contains: 'o' } } };
  const page = async (variables: object) =>
    (await ask(PAGE, { where, order: [{ eta: 'asc' }], ...variables })).data.jobs;
  const names = ({ nodes }: { nodes: { tripNumber: string }[] }) => nodes.map(({ tripNumber }) => tripNumber);

  it('goes forward and back through a typed list', async () => {
    const first = await page({ first: 3 });
    expect([names(first), first.pageInfo.hasNextPage]).toEqual([['baltic', 'load', 'sample'], true]);
    const second = await page({ first: 3, after: first.pageInfo.endCursor });
    expect([names(second), second.pageInfo.hasNextPage, second.pageInfo.hasPreviousPage]).toEqual([
      ['far'],
      false,
      true,
    ]);
    const back = await page({ last: 2, before: second.pageInfo.startCursor });
    expect([names(back), back.pageInfo.hasPreviousPage]).toEqual([['load', 'sample'], true]);
  });

  it('goes on when what a relation leads to has become more', async () => {
    const first = await page({ first: 1 });
    await service.ask('POST', `/workspaces/${workspace.id}/catalogs/locations`, {
      as: 'client',
      body: { name: 'Oporto' },
    });
    expect(names(await page({ first: 1, after: first.pageInfo.endCursor }))).toEqual(['load']);
  });

  it('belongs to its filter and its order', async () => {
    const { pageInfo } = await page({ first: 1 });
    for (const change of [
      { where: {} },
      { where: { location: { name: { contains: 'p' } } } },
      { order: [{ eta: 'desc' }] },
      { order: [] },
    ]) {
      const { errors } = await ask(PAGE, {
        where,
        order: [{ eta: 'asc' }],
        first: 1,
        after: pageInfo.endCursor,
        ...change,
      });
      expect(errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ parameter: 'after' }] });
    }
    const organizations =
      'query O($part: String, $after: String) { organizations(nameContains: $part, first: 1, after: $after) { pageInfo { endCursor } } }';
    const { data } = await ask(organizations, { part: 'a' });
    const { errors } = await ask(organizations, { part: 'b', after: data.organizations.pageInfo.endCursor });
    expect(errors[0].extensions.errors).toEqual([expect.objectContaining({ parameter: 'after' })]);
  });

  it('that was made up is refused', async () => {
    const { pageInfo } = await page({ first: 1 });
    const [signature] = JSON.parse(Buffer.from(pageInfo.endCursor, 'base64url').toString());
    for (const values of [
      [],
      [1],
      [{ $gt: '' }, 'x'],
      [{ at: 'x' }, 'x'],
      [{ at: 1e99 }, 'x'],
      [[], 'x'],
      [null, 'x', 'y'],
    ]) {
      const before = Buffer.from(JSON.stringify([signature, ...values])).toString('base64url');
      const { errors } = await ask(PAGE, { where, order: [{ eta: 'asc' }], last: 1, before });
      expect([values, errors?.[0].extensions.errors]).toEqual([
        values,
        [expect.objectContaining({ parameter: 'before' })],
      ]);
    }
    const { errors } = await ask('{ jobs(last: 1, offset: 5) { nodes { id } } }', {});
    expect(errors[0].extensions.errors).toEqual([expect.objectContaining({ parameter: 'offset' })]);
  });
});
