import { afterAll, beforeAll, expect } from 'vitest';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';

/** The service that holds the trade; available from the first test on. */
export let service: TestService;
export let workspace: { id: string; client: string; vendor: string };
export let other: { id: string };

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
  {
    ...{ tripNumber: 'far', eta: '2027-01-01T00:00:00Z', location: { name: 'Nordhafen' }, refNumber: 'a\nb\0c' },
    transports: [],
  },
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

/** Creates a small trade for a test file that filters and sorts it. */
export function tradeFixture(): void {
  beforeAll(async () => {
    service = await startTestService();
    workspace = await makeWorkspace(service, 'North Sea');
    other = await makeWorkspace(service, 'Baltic');
    const ids = new Map<string, string>();
    for (const body of JOBS) {
      const { body: job, status } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
        as: 'client',
        body,
      });
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
}

export const ask = async (query: string, variables: object, as: 'client' | 'stranger' = 'client') =>
  (await service.graphql(query, variables, as)).body;

export const LIST =
  'query L($w: UUID, $where: JobWhere, $order: [JobOrder!]) { jobs(workspace: $w, where: $where, order: $order) { nodes { tripNumber } totalCount } }';
/** The trip numbers of the jobs that a filter keeps, sorted. */
export const listed = async (where: object, w: string | null = workspace.id) => {
  const { data, errors } = await ask(LIST, { w, where });
  expect(errors).toBeUndefined();
  const names = data.jobs.nodes.map(({ tripNumber }: { tripNumber: string }) => tripNumber);
  expect(data.jobs.totalCount).toBe(names.length);
  return names.sort();
};
