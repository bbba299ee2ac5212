// Takes 20 s: five requests are delayed by 3 s each.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';
import { type FaultFixture, startFaultFixture } from '../fault-fixture.ts';

let fixture: FaultFixture;
/** For another gateway, half a minute has passed: deletion marks have expired. */
let later: TestService;

beforeAll(async () => {
  fixture = await startFaultFixture();
  const sources = { now: () => new Date(Date.now() + 31_000) };
  later = await startTestService({
    uri: fixture.mongod.uri,
    database: fixture.service.stores.db.databaseName,
    sources,
  });
});
afterAll(async () => {
  await later.stop();
  await fixture.stop();
});

/** 400, 404 or 409; or 503, if the other did not end in time. */
const REFUSED = expect.toSatisfy((status: number) => status >= 400);

/** The other gateway's answer to a POST while a request is stalled at that command, and then that request's own. */
async function meanwhile(
  [command, collection]: readonly [string, string],
  standing: readonly [string, string, object?],
  path: string,
  body: object,
) {
  const { mongod, service } = fixture;
  const namespace = `${service.stores.db.databaseName}.${collection}`;
  const data = { blockConnection: true, blockTimeMS: 3_000 };
  const { met } = await mongod.fail({ commands: [command], namespace, times: 1, data });
  const [method, place, change] = standing;
  const late = service.ask(method, place, { as: 'client', ...(change && { body: change }) });
  await met();
  const made = await later.ask('POST', path, { as: 'client', body });
  return { made: made.status, id: made.body.id as string, late: (await late).status };
}

/** An unreferenced record, its catalog, and the jobs beside it. */
async function makeRecord() {
  const { id: workspace } = await makeWorkspace(fixture.service);
  const products = `/workspaces/${workspace}/catalogs/products`;
  const { body } = await fixture.service.ask('POST', products, { as: 'client', body: { name: 'Gas oil' } });
  return { id: body.id as string, workspace, products, jobs: `/workspaces/${workspace}/jobs` };
}

describe('a deletion stalled until its mark expires', () => {
  it.each(['one', 'one of a bulk'])('leaves a record that a job has named meanwhile: %s', async (which) => {
    const { id, workspace, products, jobs } = await makeRecord();
    const job = { cargo: { product: id } };
    const bulk = { type: 'svc.inspection.job', body: [job] };
    const [path, body] = which === 'one' ? [jobs, job] : [`/v2/workspaces/${workspace}/documents/bulk`, bulk];
    const answers = await meanwhile(['delete', 'catalog_records'], ['DELETE', `${products}/${id}`], path, body);
    expect(answers).toMatchObject({ made: 201, late: REFUSED });
    expect([
      await fixture.count('catalog_records', { _id: id }),
      await fixture.count('documents', { refs: id }),
    ]).toEqual([1, 1]);
  });

  it('leaves a workspace in which a job was created meanwhile', async () => {
    const { id: workspace } = await makeWorkspace(fixture.service);
    const standing = ['DELETE', `/v2/workspaces/${workspace}`] as const;
    const answers = await meanwhile(['delete', 'workspaces'], standing, `/workspaces/${workspace}/jobs`, {});
    expect(answers).toMatchObject({ made: 201, late: REFUSED });
    expect(await fixture.count('documents', { _id: answers.id })).toBe(1);
  });

  it('prevents jobs from being created in a workspace its transaction has erased', async () => {
    const { id: workspace } = await makeWorkspace(fixture.service);
    const standing = ['DELETE', `/v2/workspaces/${workspace}`] as const;
    const answers = await meanwhile(['insert', 'audit_log'], standing, `/workspaces/${workspace}/jobs`, {});
    expect(answers).toMatchObject({ made: REFUSED, late: 200 });
    await expect.poll(() => fixture.count('documents', { workspace })).toBe(0);
  });

  it('prevents jobs from naming a record its transaction has moved to another catalog', async () => {
    const { id, workspace, jobs } = await makeRecord();
    const record = `/v2/workspaces/${workspace}/xrefs/products/${id}`;
    const standing = ['PATCH', record, { body: { xtype: 'locations' } }] as const;
    const answers = await meanwhile(['update', 'versions'], standing, jobs, { cargo: { product: id } });
    expect(answers).toMatchObject({ made: REFUSED, late: 200 });
    await expect.poll(() => fixture.count('documents', { refs: id })).toBe(0);
  });
});
