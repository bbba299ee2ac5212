import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
/** The jobs by their names in the test. */
const jobs = new Map<string, { id: string; body: { location: string; cargo: { product: string } } }>();

beforeAll(async () => {
  const bodies: Record<string, object> = {
    load: {
      status: 'active',
      activity: 'load',
      eta: '2026-03-01T12:00:00+02:00',
      cargo: { quantity: 10.5, product: { name: 'Gas Oil', xref: 'GO' } },
      requested: { quality: true },
    },
    sample: {
      status: 'pending',
      activity: 'sample',
      eta: '2026-03-01',
      cargo: { quantity: 0 },
      requested: { quality: false },
      location: { name: 'Port A', xref: 'A' },
      refNumber: 'null',
    },
    bare: { refNumber: 'bare' },
    nulls: { status: null, eta: null, cargo: null, location: null, refNumber: '' },
    vessels: {
      transports: [
        { name: 'MV One', xref: '1' },
        { name: 'MV Two', xref: '2' },
      ],
      location: { name: 'Port B' },
      eta: '2026-03-01T10:00:00.000Z',
      refNumber: 'a b+c&d=e%',
    },
  };
  for (const [name, body] of Object.entries(bodies)) {
    const { body: made } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'client',
      body: { ...body, tripNumber: name },
    });
    jobs.set(name, made);
  }
});

const legacy = (query: string) => service.ask('GET', `/workspaces/${workspace.id}/jobs?${query}`, { as: 'client' });
const v2 = (query: string) =>
  service.ask('GET', `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&${query}`, { as: 'vendor' });
const LIST =
  'query List($w: UUID!, $filter: [FieldFilter!]) { jobs(workspace: $w, filter: $filter) { nodes { tripNumber } totalCount } }';
const inGraphql = (filter: object[]) => service.graphql(LIST, { w: workspace.id, filter });

/** What a filter finds, by name; all three request forms must agree. */
async function find(pairs: readonly (readonly [string, string])[]): Promise<string[]> {
  const bare = await legacy(pairs.map(([field, value]) => `${field}=${encodeURIComponent(value)}`).join('&'));
  const bracketed = await v2(
    pairs
      .map(([field, value]) => `filter[${field.includes('.') ? 'body.' : ''}${field}]=${encodeURIComponent(value)}`)
      .join('&'),
  );
  const fields = [...new Set(pairs.map(([field]) => field))];
  const graphql = await inGraphql(
    fields.map((field) => ({
      field,
      anyOf: pairs.filter(([other]) => other === field).map(([, value]) => (value === 'null' ? null : value)),
    })),
  );
  const found = [bare, bracketed].map(({ body, status }) => {
    expect([status, body.errors]).toEqual([200, undefined]);
    return body.map((row: { body: { tripNumber: string } }) => row.body.tripNumber);
  });
  const nodes = graphql.body.data.jobs.nodes.map(({ tripNumber }: { tripNumber: string }) => tripNumber);
  expect(graphql.body.data.jobs.totalCount).toBe(nodes.length);
  expect([found[1], nodes]).toEqual([found[0], found[0]]);
  return found[0].sort();
}

describe('a filter by null', () => {
  it('finds results without a list of measurements, and with an empty one', async () => {
    const job = jobs.get('bare')?.id;
    const path = `/workspaces/${workspace.id}/jobs/${job}/quantity`;
    const make = async (body: object) => (await service.ask('POST', path, { as: 'vendor', body })).body.id as string;
    const measurements = [{ name: 'Gross', quantity: 1, uom: { name: 't' } }];
    const none = await make({ activityType: 'load', date: '2026-03-01', measurements: [] });
    const some = await make({ activityType: 'discharge', date: '2026-03-01', measurements });
    const found = async (query: string) => {
      const { body } = await service.ask('GET', `${path}?${query}`, { as: 'client' });
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await found('measurements=null')).toEqual([none]);
    expect(await found('meanTemp=null')).toEqual([some, none]);
  });
});

describe('a filter', () => {
  it.each<[string, (readonly [string, string])[], string[]]>([
    ['text exactly', [['status', 'active']], ['load']],
    ['text by its letter case', [['status', 'Active']], []],
    ['text that has signs of its own', [['refNumber', 'a b+c&d=e%']], ['vessels']],
    ['text that is empty', [['refNumber', '']], ['nulls']],
    [
      'any of repeated values',
      [
        ['status', 'active'],
        ['status', 'pending'],
      ],
      ['load', 'sample'],
    ],
    ['values outside an enumeration, which finds nothing', [['status', 'late']], []],
    ['free text of the Data API, which finds nothing here', [['activity', 'Bunkering']], []],
    ['absent values by null', [['status', 'null']], ['bare', 'nulls', 'vessels']],
    [
      'absent or a value',
      [
        ['status', 'null'],
        ['status', 'active'],
      ],
      ['bare', 'load', 'nulls', 'vessels'],
    ],
    ['absent nested values by null', [['cargo.quantity', 'null']], ['bare', 'nulls', 'vessels']],
    ['absent objects by null', [['cargo', 'null']], ['bare', 'nulls', 'vessels']],
    [
      'absent objects, all of them',
      [
        ['cargo', 'null'],
        ['requested', 'null'],
      ],
      ['bare', 'nulls', 'vessels'],
    ],
    ['numbers as numbers', [['cargo.quantity', '10.50']], ['load']],
    ['zero', [['cargo.quantity', '0']], ['sample']],
    ['numbers in any notation', [['cargo.quantity', '1.05e1']], ['load']],
    ['true', [['requested.quality', 'true']], ['load']],
    ['false', [['requested.quality', 'false']], ['sample']],
    ['datetimes as instants across offsets', [['eta', '2026-03-01T10:00:00Z']], ['load', 'vessels']],
    ['datetimes in another offset', [['eta', '2026-03-01T05:00:00-05:00']], ['load', 'vessels']],
    ['a date as midnight UTC', [['eta', '2026-03-01T00:00:00.000Z']], ['sample']],
    ['a date by a date', [['eta', '2026-03-01']], ['sample']],
    ['absent datetimes', [['eta', 'null']], ['bare', 'nulls']],
    [
      'two fields, both of which must hold',
      [
        ['status', 'active'],
        ['activity', 'load'],
      ],
      ['load'],
    ],
    [
      'two fields that do not meet',
      [
        ['status', 'active'],
        ['activity', 'sample'],
      ],
      [],
    ],
    ['references by the name of the record', [['location.name', 'Port A']], ['sample']],
    ['names of records exactly', [['location.name', 'port a']], []],
    ['references by the xref of the record', [['cargo.product.xref', 'GO']], ['load']],
    [
      'references by several names',
      [
        ['location.name', 'Port A'],
        ['location.name', 'Port B'],
      ],
      ['sample', 'vessels'],
    ],
    ['absent references by name', [['location.name', 'null']], ['bare', 'load', 'nulls']],
    [
      'absent references, and records without one, by xref',
      [['location.xref', 'null']],
      ['bare', 'load', 'nulls', 'vessels'],
    ],
    [
      'an xref, or none',
      [
        ['location.xref', 'null'],
        ['location.xref', 'A'],
      ],
      ['bare', 'load', 'nulls', 'sample', 'vessels'],
    ],
    ['names that no record has', [['location.name', 'Port C']], []],
    ['lists of references by one of them', [['transports.name', 'MV Two']], ['vessels']],
    ['lists of references by xref', [['transports.xref', '1']], ['vessels']],
    ['absent lists', [['transports', 'null']], ['bare', 'load', 'nulls', 'sample']],
    [
      'the type',
      [
        ['type', 'svc.inspection.job'],
        ['tripNumber', 'bare'],
      ],
      ['bare'],
    ],
  ])('finds %s', async (_what, pairs, expected) => {
    const inBody = pairs.every(([field]) => field !== 'type');
    if (inBody) expect(await find(pairs)).toEqual(expected);
    else
      expect((await legacy(pairs.map(([field, value]) => `${field}=${value}`).join('&'))).body).toHaveLength(
        expected.length,
      );
  });

  it('finds references by record id, in any letter case', async () => {
    const { location } = jobs.get('sample')?.body ?? { location: '' };
    expect(await find([['location', location.toUpperCase()]])).toEqual(['sample']);
    expect(await find([['location', workspace.id]])).toEqual([]);
  });

  it('finds by envelope fields', async () => {
    const { body: all } = await v2('sort=id');
    const [first, second] = all;
    const found = async (query: string) => (await v2(query)).body.map(({ id }: { id: string }) => id);
    expect(await found(`filter[id]=${first.id}&filter[id]=${second.id}&sort=id`)).toEqual([first.id, second.id]);
    expect(await found(`filter[version_id]=${first.version_id}`)).toEqual([first.id]);
    expect(await found(`filter[created_at]=${first.created_at}`)).toContain(first.id);
    expect(await found(`filter[created_at]=${encodeURIComponent(first.created_at.replace('Z', '+00:00'))}`)).toContain(
      first.id,
    );
    expect(await found(`filter[created_by]=${first.created_by}`)).toHaveLength(5);
    expect(await found('filter[parent_id]=null')).toHaveLength(5);
    expect(await found('filter[type]=svc.nim.job')).toHaveLength(5);
    expect(await found('filter[type]=svc.other')).toEqual([]);
    expect(await found(`filter[workspace]=${workspace.id}`)).toHaveLength(5);
  });

  it('accepts the alias svc.nim.job for the type of the list', async () => {
    const answer = await service.ask('GET', `/v2/workspaces/${workspace.id}/documents?type=svc.nim.job`, {
      as: 'client',
    });
    expect(answer.body.map(({ type }: { type: string }) => type)).toEqual(Array(5).fill('svc.inspection.job'));
    const unknown = await service.ask('GET', `/v2/workspaces/${workspace.id}/documents?type=svc.other`, {
      as: 'client',
    });
    expect(unknown.body).toMatchObject({ status: 400, errors: [{ parameter: 'type' }] });
    expect(unknown.body.detail).toContain('svc.inspection.job');
    const missing = await service.ask('GET', `/v2/workspaces/${workspace.id}/documents`, { as: 'client' });
    expect(missing.body).toMatchObject({ status: 400, errors: [{ parameter: 'type' }] });
  });

  it.each(['{"$ne":null}', '{"$gt":""}', '/.*/', '.*', '$status', "'; return true; //"])(
    'never becomes an operator or a pattern: %s',
    async (value) => {
      expect(await find([['status', value]])).toEqual([]);
      expect(await find([['location.name', value]])).toEqual([]);
    },
  );

  it('sees only what the caller may see', async () => {
    const other = await makeWorkspace(service);
    await service.ask('POST', `/workspaces/${other.id}/jobs`, {
      as: 'client',
      body: { location: { name: 'Port A', xref: 'A' }, tripNumber: 'other' },
    });
    expect(await find([['location.name', 'Port A']])).toEqual(['sample']);
    const across = await service.graphql(
      '{ jobs(filter: [{ field: "location.name", anyOf: ["Port A"] }]) { nodes { tripNumber } } }',
    );
    expect(across.body.data.jobs.nodes).toEqual([{ tripNumber: 'other' }, { tripNumber: 'sample' }]);
    const stranger = await service.graphql(
      '{ jobs { totalCount nodes { id } } workspaces { totalCount } }',
      {},
      'stranger',
    );
    expect(stranger.body.data).toEqual({ jobs: { totalCount: 0, nodes: [] }, workspaces: { totalCount: 0 } });
  });
});
