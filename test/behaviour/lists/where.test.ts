import { describe, expect, it } from 'vitest';
import { ask, LIST, listed, other, service, tradeFixture, workspace } from './where-fixture.ts';

tradeFixture();

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
    ['no related record, or an empty list of them', { transports: null }, ['bare', 'far']],
    ['any related record', { transports: {} }, ['load', 'sample']],
    ['not any related record', { not: { transports: {} } }, ['bare', 'far']],
    ['not none of them', { not: { transports: null } }, ['load', 'sample']],
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
    ['what the Data API says of its jobs', { region: { eq: 'ARA' } }, ['bare']],
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

  it('accepts literals and variables, the first time and later', async () => {
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

  it('combines with untyped filters', async () => {
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

  it('matches one list item as a whole', async () => {
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
  it('finds and orders them by their content, only those of the own tenant', async () => {
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
