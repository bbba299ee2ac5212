import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000001';
const UNFIT = { location: NOWHERE, specification: NOWHERE };

const service = serviceFixture();
const workspace = workspaceFixture(service);
let jobs: string;
let job: string;

beforeAll(async () => {
  jobs = `/workspaces/${workspace.id}/jobs`;
  job = (await service.ask('POST', jobs, { as: 'client', body: {} })).body.id;
});

/** The places that the answer finds fault with, sorted. */
async function faultsOf(method: string, path: string, sent: object): Promise<string[]> {
  const { status, body } = await service.ask(method, path, { as: 'client', body: sent });
  expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
  return pathsOf(body.errors);
}

const pathsOf = (errors: readonly { readonly path: string }[]): string[] => errors.map(({ path }) => path).sort();
const stored = () => service.stores.db.collection('documents').countDocuments({});

/** Contract §3: all faults at once, those that only stored data tells too. */
describe('a body that names several things that do not exist', () => {
  it('is answered with all of them when a job is created, and nothing is stored', async () => {
    const before = await stored();
    const client = { name: 'Nobody Ltd' };
    expect(await faultsOf('POST', jobs, { ...UNFIT, parent: NOWHERE, client })).toEqual([
      '/location',
      '/parent',
      '/specification',
    ]);
    expect(await faultsOf('POST', jobs, { ...UNFIT, transports: [job, { name: 'MT New' }, NOWHERE] })).toEqual([
      '/location',
      '/specification',
      '/transports/0',
      '/transports/2',
    ]);
    expect(await stored()).toBe(before);
    expect(await service.stores.db.collection('catalog_records').countDocuments({})).toBe(0);
  });

  it('is answered with all of them when a job is changed', async () => {
    expect(await faultsOf('PATCH', `${jobs}/${job}`, UNFIT)).toEqual(['/location', '/specification']);
    const moved = { body: { ...UNFIT, parent: job } };
    expect(await faultsOf('PATCH', `/v2/workspaces/${workspace.id}/documents/${job}`, moved)).toEqual([
      '/body/location',
      '/body/parent',
      '/body/specification',
    ]);
  });

  it('is answered with all of them when a job is moved below its own child or grandchild', async () => {
    const below = async (parent: string) =>
      (await service.ask('POST', jobs, { as: 'client', body: { parent } })).body.id as string;
    const child = await below(job);
    for (const parent of [child, await below(child)])
      for (const unfit of [{}, UNFIT, { location: NOWHERE }]) {
        const path = `/v2/workspaces/${workspace.id}/documents/${job}`;
        const expected = ['parent', ...Object.keys(unfit)].map((name) => `/body/${name}`).sort();
        expect(await faultsOf('PATCH', path, { body: { ...unfit, parent } })).toEqual(expected);
      }
  });

  it('is answered with those of all bodies of a bulk, with their index', async () => {
    const bulk = `/v2/workspaces/${workspace.id}/documents/bulk`;
    const events = [{ parent: NOWHERE }, { parent: job, type: NOWHERE }, { parent: job, type: { name: 'Berthed' } }];
    expect(await faultsOf('POST', bulk, { type: 'svc.inspection.timelog', body: events })).toEqual([
      '/body/0/parent',
      '/body/1/type',
    ]);
    const bodies = [{ parent: NOWHERE }, { specification: job }, {}, { location: NOWHERE }];
    expect(await faultsOf('POST', bulk, { type: 'svc.inspection.job', body: bodies })).toEqual([
      '/body/0/parent',
      '/body/1/specification',
      '/body/3/location',
    ]);
  });

  it('is answered with all of them in GraphQL', async () => {
    const create = 'mutation Create($w: UUID!, $body: JobBody!) { createJob(workspace: $w, body: $body) { id } }';
    const body = { ...UNFIT, parent: NOWHERE };
    const { errors } = (await service.graphql(create, { w: workspace.id, body })).body;
    expect(pathsOf(errors[0].extensions.errors)).toEqual(['/location', '/parent', '/specification']);
  });

  it('lists a hundred, and counts the others', async () => {
    const transports = Array.from({ length: 150 }, () => NOWHERE);
    const { body } = await service.ask('POST', jobs, { as: 'client', body: { parent: NOWHERE, transports } });
    expect([body.errors.length, body.errors[0].path, body.errorsOmitted]).toEqual([100, '/parent', 51]);
  });
});
