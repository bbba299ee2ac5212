import { describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture();

const remove = (id: string, headers = {}) => service.ask('DELETE', `/v2/workspaces/${id}`, { as: 'client', headers });
const createJob = (id: string, body: object = {}) =>
  service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body });
const countIn = (collection: string, workspace: string) =>
  service.stores.db.collection(collection).countDocuments({ workspace });

describe('deleting a workspace', () => {
  it('returns its last version; then it is gone', async () => {
    const { id } = await makeWorkspace(service, 'first');
    const { body: last } = await service.ask('PATCH', `/v2/workspaces/${id}`, {
      as: 'vendor',
      body: { body: { description: 'last' } },
    });
    const removed = await remove(id);
    expect([removed.status, removed.body]).toEqual([200, last]);
    expect((await remove(id)).body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await createJob(id)).body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(
      await service.stores.db.collection('versions').countDocuments({ entity: id, expires_at: { $exists: false } }),
    ).toBe(0);
  });

  it('that holds documents is refused with the text of the interface, in both families', async () => {
    const { id } = await makeWorkspace(service);
    const { body: job } = await createJob(id);
    for (const path of [`/workspaces/${id}`, `/v2/workspaces/${id}`]) {
      const refused = await service.ask('DELETE', path, { as: 'client' });
      expect(refused.body).toMatchObject({
        status: 409,
        code: 'WORKSPACE_NOT_EMPTY',
        message: 'Workspace is not empty',
        detail: 'Workspace is not empty',
      });
    }
    expect((await createJob(id)).status).toBe(201);
    for (const { id: each } of (await service.ask('GET', `/workspaces/${id}/jobs`, { as: 'client' })).body) {
      expect((await service.ask('DELETE', `/workspaces/${id}/jobs/${each}`, { as: 'client' })).status).toBe(200);
    }
    expect((await remove(id)).status).toBe(200);
    expect(job.id).toBeDefined();
  });

  it('that holds only catalog records deletes them with it', async () => {
    const { id } = await makeWorkspace(service);
    const { body: job } = await createJob(id, {
      location: { name: 'Port Left' },
      transports: [{ name: 'MV Left', xref: 'L' }],
    });
    await service.ask('DELETE', `/workspaces/${id}/jobs/${job.id}`, { as: 'client' });
    expect(await countIn('catalog_records', id)).toBe(2);
    expect((await remove(id)).status).toBe(200);
    expect(await countIn('catalog_records', id)).toBe(0);
  });

  it('with a stale If-Match is 412 and removes nothing', async () => {
    const { id } = await makeWorkspace(service);
    expect((await remove(id, { 'If-Match': '"0190a000-0000-7000-8000-00000000dead"' })).body.code).toBe(
      'PRECONDITION_FAILED',
    );
    expect((await service.ask('GET', `/workspaces/${id}`, { as: 'client' })).status).toBe(200);
  });

  it('leaves no orphan when jobs are created in it at the same moment', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 40; round++) {
      const { id } = await makeWorkspace(service);
      const body = round % 2 ? { location: { name: 'Port Contested' } } : {};
      const wait = new Promise((resolve) => setTimeout(resolve, round % 8));
      const [removed, ...created] = await Promise.all([
        wait.then(() => remove(id)),
        ...Array.from({ length: 3 }, () => createJob(id, body)),
      ]);
      const statuses = created.map(({ status }) => status);
      for (const status of statuses) expect([201, 404, 409]).toContain(status);
      const made = statuses.filter((status) => status === 201).length;
      outcomes.add(`${removed?.status} ${made > 0}`);
      expect([200, 409]).toContain(removed?.status);
      expect(await countIn('documents', id)).toBe(made);
      if (removed?.status === 200) expect([made, await countIn('catalog_records', id)]).toEqual([0, 0]);
      else expect((await createJob(id)).status).toBe(201);
    }
    expect([...outcomes].sort()).toEqual(expect.arrayContaining(['409 true']));
  });

  it('leaves no orphan when catalog records are created in it at the same moment', async () => {
    const add =
      'mutation Add($w: UUID!, $b: CatalogRecordBody!) { createCatalogRecord(workspace: $w, catalog: "tests", body: $b) { id } }';
    for (let round = 0; round < 15; round++) {
      const { id } = await makeWorkspace(service);
      const [removed, added] = await Promise.all([
        remove(id),
        service.graphql(add, { w: id, b: { name: 'Density' } }, 'vendor'),
      ]);
      expect(removed.status).toBe(200);
      expect([undefined, 'NOT_FOUND', 'CONFLICT']).toContain(added.body.errors?.[0].extensions.code);
      expect(await countIn('catalog_records', id)).toBe(0);
    }
  });

  it('works when its description is changed at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await makeWorkspace(service);
      const [removed, changed] = await Promise.all([
        remove(id),
        service.ask('PATCH', `/workspaces/${id}`, { as: 'vendor', body: { description: 'changed' } }),
      ]);
      expect([removed.status, [200, 404].includes(changed.status)]).toEqual([200, true]);
      expect(
        await service.stores.db.collection('versions').countDocuments({ entity: id, expires_at: { $exists: false } }),
      ).toBe(0);
    }
  });

  it('can be repeated when a gateway died in the middle', async () => {
    const { id } = await makeWorkspace(service);
    const workspaces = service.stores.db.collection<{ _id: string }>('workspaces');
    await workspaces.updateOne({ _id: id }, { $set: { deleting_at: new Date(Date.now() - 60_000) } });
    expect((await createJob(id)).status).toBe(201);
    const { id: other } = await makeWorkspace(service);
    await workspaces.updateOne({ _id: other }, { $set: { deleting_at: new Date(Date.now() - 60_000) } });
    expect((await remove(other)).status).toBe(200);
  });
});
