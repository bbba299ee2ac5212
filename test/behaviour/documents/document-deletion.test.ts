import { describe, expect, it } from 'vitest';
import { eraseTree } from '../../../src/domain/deletion/erase-tree.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../../../src/domain/request/clock-and-ids.ts';
import { RequestContext } from '../../../src/domain/request/request-context.ts';
import type { Entity } from '../../../src/model/entity/entity.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { jobDocuments } from './job-documents.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const { pathOf, create, patch, get } = jobDocuments(service, workspace);

describe('deleting a document', () => {
  it('returns its last version, and removes it with every version', async () => {
    const job = await create({ notes: 'one' });
    const last = (await patch(job.id, { notes: 'two' })).body;
    const { status, body } = await service.ask('DELETE', pathOf(job.id), { as: 'vendor' });
    expect([status, body]).toEqual([200, last]);
    for (const method of ['GET', 'DELETE'])
      expect((await service.ask(method, pathOf(job.id), { as: 'client' })).status).toBe(404);
    expect((await patch(job.id, { notes: 'x' })).body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(
      await service.stores.db.collection('versions').countDocuments({ entity: job.id, expires_at: { $exists: false } }),
    ).toBe(0);
  });

  it('deletes its child jobs with it, and theirs', async () => {
    const job = await create({});
    const child = await create({ parent: job.id });
    const grandchild = await create({ parent: child.id });
    const other = await create({});
    await patch(grandchild.id, { notes: 'changed' });
    expect((await service.ask('DELETE', pathOf(job.id), { as: 'client' })).status).toBe(200);
    for (const { id } of [child, grandchild]) expect((await get(id)).status).toBe(404);
    expect((await get(other.id)).status).toBe(200);
    expect(
      await service.stores.db
        .collection('versions')
        .countDocuments({ entity: grandchild.id, expires_at: { $exists: false } }),
    ).toBe(0);
  });

  it('leaves no child behind that is created at the same moment', async () => {
    for (let round = 0; round < 25; round++) {
      const job = await create({});
      const [removed, ...made] = await Promise.all([
        service.ask('DELETE', pathOf(job.id), { as: 'client' }),
        ...Array.from({ length: 4 }, () =>
          service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, {
            as: 'vendor',
            body: { type: 'svc.inspection.job', body: { parent: job.id } },
          }),
        ),
      ]);
      expect(removed?.status).toBe(200);
      for (const { status } of made) expect([201, 400]).toContain(status);
      expect(await service.stores.db.collection('documents').countDocuments({ parent_id: job.id })).toBe(0);
    }
  });

  it('includes a child that moves below it at the same moment, or the move fails', async () => {
    for (let round = 0; round < 25; round++) {
      const [job, child] = await Promise.all([create({}), create({})]);
      const [removed, moved] = await Promise.all([
        service.ask('DELETE', pathOf(job.id), { as: 'client' }),
        patch(child.id, { parent: job.id }),
      ]);
      expect([removed.status, [200, 400, 404].includes(moved.status)]).toEqual([200, true]);
      expect((await get(child.id)).status).toBe(moved.status === 400 ? 200 : 404);
    }
  });

  it('reads it again if a transaction wrote to it after the read, so that children added by that are deleted too', async () => {
    const job = await create({});
    const { documents, transaction } = service.stores;
    const read = async () => (await documents.byId(job.id)) as Entity;
    const before = await read();
    await transaction((tx) => documents.fence({ _id: job.id }, new Date(), tx)); // as a bulk does
    const viewer = {
      id: 'someone',
      tenant: before.readers[0] ?? '',
      name: 'Someone',
      scopes: new Set(['write'] as const),
    };
    const ctx = new RequestContext(viewer, service.stores, { sources: SYSTEM_CLOCK_AND_IDS });
    expect(await eraseTree(ctx, before)).toBeUndefined();
    expect((await get(job.id)).status).toBe(200);
    expect(await eraseTree(ctx, await read())).toBe(true);
    expect((await get(job.id)).status).toBe(404);
  });

  it('with a stale If-Match is 412 and removes nothing', async () => {
    const job = await create({});
    await patch(job.id, { notes: 'x' });
    const stale = await service.ask('DELETE', pathOf(job.id), {
      as: 'client',
      headers: { 'If-Match': `"${job.version_id}"` },
    });
    expect(stale.body).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
    expect((await get(job.id)).status).toBe(200);
  });
});
