import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, type TestWorkspace, workspaceFixture } from '../service.ts';
import { allCounted } from './all-counted.ts';

const service = serviceFixture({ counts: true });
const workspace = workspaceFixture(service);
let other: TestWorkspace;
const ids: Record<string, string> = {};

/** Creates a complete job with one quality result. */
async function job(product: string, vessel: string, place = workspace): Promise<void> {
  const path = `/workspaces/${place.id}/jobs`;
  const body = { status: 'complete', cargo: { product: { name: product } }, transports: [{ name: vessel }] };
  const made = await service.ask('POST', path, { as: 'vendor', body });
  await service.ask('POST', `${path}/${made.body.id}/quality`, {
    as: 'vendor',
    body: { test: { name: 'Sulphur' }, isOffSpec: product === 'Gasoil' },
  });
}

beforeAll(async () => {
  other = await makeWorkspace(service);
  for (const [product, vessel] of [
    ['Gasoil', 'Alba'],
    ['Gas oil', 'Alba'],
    ['Gas oil', 'Bora'],
    ['Naphtha', 'Alba II'],
  ] as const)
    await job(product, vessel);
  await job('Gasoil', 'Alba', other);
  for (const [catalog, place] of [
    ['products', workspace],
    ['transports', workspace],
    ['products', other],
  ] as const) {
    const path = `/workspaces/${place.id}/catalogs/${catalog}`;
    for (const { id, body } of (await service.ask('GET', path, { as: 'client' })).body) {
      ids[place === other ? `other ${body.name}` : body.name] = id;
    }
  }
  for (const [catalog, one, two] of [
    ['products', 'Gasoil', 'Gas oil'],
    ['transports', 'Alba', 'Alba II'],
  ] as const) {
    const path = `/workspaces/${workspace.id}/catalogs/${catalog}/${ids[one]}/synonyms/${ids[two]}`;
    expect((await service.ask('POST', path, { as: 'client' })).status).toBe(201);
  }
  await allCounted(service);
});

async function ask(
  filter: string,
  { of = `workspace(id: "${workspace.id}")`, as = 'client' as 'client' | 'stranger' } = {},
) {
  const fields = 'jobs { jobs } offSpecification { byProduct { record { name } results offSpecification } }';
  const { body } = await service.graphql(`{ it: ${of} { statistics${filter} { ${fields} } } }`, {}, as);
  if (body.errors) return body.errors[0].extensions.errors;
  const { jobs, offSpecification } = body.data.it.statistics;
  const sum = jobs.reduce((all: number, one: { jobs: number }) => all + one.jobs, 0);
  return { jobs: sum, products: offSpecification.byProduct };
}

describe('statistics by a record', () => {
  const gasoil = { record: { name: 'Gas oil' }, results: 3, offSpecification: 1 };

  it('merge synonyms, under the most frequent name', async () => {
    const naphtha = { record: { name: 'Naphtha' }, results: 1, offSpecification: 0 };
    expect(await ask('')).toEqual({ jobs: 4, products: [gasoil, naphtha] });
  });

  it('count the jobs that name it or a synonym of it, from either side', async () => {
    for (const name of ['Gasoil', 'Gas oil']) {
      expect(await ask(`(product: "${ids[name]}")`)).toEqual({ jobs: 3, products: [gasoil] });
      expect(await ask(`(product: "${ids[name]}")`, { of: 'viewer' })).toEqual({ jobs: 3, products: [gasoil] });
    }
    expect(await ask(`(vessel: "${ids.Alba}")`)).toMatchObject({ jobs: 3 });
    expect(await ask(`(vessel: "${ids.Bora}", product: "${ids.Gasoil}")`)).toMatchObject({ jobs: 1 });
    expect(await ask(`(vessel: "${ids.Bora}", product: "${ids.Naphtha}")`)).toMatchObject({ jobs: 0 });
  });

  it('are refused for records not in that catalog, of another workspace, or of strangers', async () => {
    const fault = (parameter: string) => [expect.objectContaining({ parameter })];
    expect(await ask(`(vendor: "${ids.Gasoil}")`)).toEqual(fault('vendor'));
    expect(await ask(`(product: "${ids['other Gasoil']}")`)).toEqual(fault('product'));
    expect(await ask(`(location: "${workspace.id}")`)).toEqual(fault('location'));
    const stranger = { of: 'viewer', as: 'stranger' } as const;
    expect(await ask(`(product: "${ids.Gasoil}")`, stranger)).toEqual(fault('product'));
    const two = `(product: "${ids['other Gasoil']}", vessel: "${ids.Alba}")`;
    expect(await ask(two, { of: 'viewer' })).toEqual(fault('vessel'));
  });

  it('count a job under each of its first 100 vessels', async () => {
    const { id } = await makeWorkspace(service);
    const transports = Array.from({ length: 101 }, (_, index) => ({ name: `Barge ${index + 1}` }));
    const made = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: { transports } });
    const job = `query J($id: UUID!) { job(id: $id) { transports { id } } }`;
    const { body } = await service.graphql(job, { id: made.body.id });
    const vessels: { id: string }[] = body.data.job.transports;
    await allCounted(service);
    const jobs = (at: number) => ask(`(vessel: "${vessels[at]?.id}")`, { of: `workspace(id: "${id}")` });
    expect(await Promise.all([0, 21, 99, 100].map(jobs))).toMatchObject([1, 1, 1, 0].map((n) => ({ jobs: n })));
  });
});
