import { expect, it, vi } from 'vitest';
import { makeWorkspace, serviceFixture } from '../service.ts';

const service = serviceFixture({ records: true, counts: true, audits: true });

/** The change streams on documents, by their cursors. */
async function streamsOfDocuments(): Promise<number> {
  const { client, databaseName: db } = service.stores.db;
  const open = await client
    .db('admin')
    .aggregate([{ $currentOp: { allUsers: true, idleCursors: true } }])
    .toArray();
  const cursors = new Map(open.map((found) => [String(found.cursor?.cursorId), found.cursor?.originatingCommand]));
  const watching = [...cursors.values()].filter((command) => JSON.stringify(command ?? {}).includes('$changeStream'));
  return watching.filter(({ $db, pipeline }) => $db === db && JSON.stringify(pipeline).includes('"coll":"documents"'))
    .length;
}

it("a gateway's events, statistics and figure audits share one change stream", async () => {
  const path = `/v2/workspaces/${(await makeWorkspace(service)).id}/documents`;
  let made = 0;
  await vi.waitFor(async () => {
    const body = { type: 'svc.inspection.job', body: { status: 'active' } };
    expect((await service.ask('POST', path, { as: 'vendor', body })).status).toBe(201);
    made++;
    expect(await streamsOfDocuments()).toBe(1);
  }, 20_000);
  const count = (name: string, filter = {}) => service.stores.db.collection(name).countDocuments(filter);
  await vi.waitFor(async () => {
    expect(await count('events', { kind: 'created', type: 'svc.inspection.job' })).toBe(made);
    expect([await count('job_facts'), await count('job_audits')]).toEqual([made, made]);
  }, 20_000);
});
