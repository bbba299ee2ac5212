import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const BERTHS = 9_000;

it('a filter may match 50,000 related entities in all its places, and one with more is refused', async () => {
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const body = { location: { name: 'Berth' } };
  const { id } = (await service.ask('POST', jobs, { as: 'client', body })).body;
  const records = service.stores.db.collection<{ _id: string; body: object }>('catalog_records');
  const { created_for: _, ...model } = (await records.findOne<Record<string, object>>({})) ?? {};
  const berth = (i: number) => {
    const name = `berth ${i}`;
    return { ...model, _id: randomUUID(), version_id: randomUUID(), body: { ...model.body, name }, name_key: name };
  };
  await records.insertMany(Array.from({ length: BERTHS }, (_, i) => berth(i)));
  const where = (places: number) =>
    `{ or: [${Array.from({ length: places }, (_, i) => `{ location: { name: { contains: "${'berth'.slice(i % 5)}" } } }`).join(' ')}] }`;
  const found = async (places: number) =>
    (await service.graphql(`{ jobs(where: ${where(places)}) { nodes { id } } }`, {}, 'client')).body;
  expect((await found(1)).data.jobs.nodes).toEqual([{ id }]);
  expect((await found(5)).data.jobs.nodes).toEqual([{ id }]);
  const [{ message, extensions }] = (await found(60)).errors; // more than MongoDB accepts in one command
  expect([extensions.code, message]).toEqual([
    'INVALID_INPUT',
    'Parameter where: goes through more than 50000 entities in all its places; say more about them.',
  ]);
});
