import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

interface Marked {
  readonly _id: string;
  readonly attempt?: string;
}

const records = () => service.stores.db.collection<Marked>('catalog_records');
const documents = () => service.stores.db.collection<Marked>('documents');

/** A product being moved to the locations by another gateway, which has seen that nothing refers to it. */
async function movingRecord() {
  const path = `/v2/workspaces/${workspace.id}/xrefs/products`;
  const { id } = (await service.ask('POST', path, { as: 'client', body: { name: randomUUID() } })).body;
  await records().updateOne({ _id: id }, { $set: { deleting_at: new Date() } });
  const move = () =>
    records().updateOne(
      { _id: id },
      { $set: { xtype: 'locations', 'body.xtype': 'locations' }, $unset: { deleting_at: '' } },
    );
  return { id: id as string, move };
}

const create = (body: object, headers = {}) =>
  service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, {
    as: 'vendor',
    body: { type: 'svc.inspection.job', body },
    headers,
  });

const refusedFor = (id: string) => [
  { path: '/body/cargo/product', message: `${id} is not a record of the catalog products in this workspace.` },
];

describe('a record moved to another catalog', () => {
  it.each([
    ['alone', {}],
    ['beside a record that is made with it', { location: { name: `Made ${randomUUID()}` } }],
  ])('is not referenced by a document whose creation began meanwhile: %s', async (_how, beside) => {
    const { id, move } = await movingRecord();
    const answer = create({ cargo: { product: id }, ...beside });
    await expect.poll(() => documents().countDocuments({ refs: id })).toBe(1);
    await move();
    const { status, body } = await answer;
    expect([status, body.errors]).toEqual([400, refusedFor(id)]);
    expect(await documents().countDocuments({ refs: id })).toBe(0);
    expect(await records().countDocuments({ name_key: /^made / })).toBe(0);
  });

  it('nor by one that a retry of its request took over', async () => {
    const { id, move } = await movingRecord();
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = create({ cargo: { product: id } }, headers);
    await expect.poll(() => documents().countDocuments({ refs: id })).toBe(1);
    const [made] = await documents().find({ refs: id }).toArray();
    await service.stores.db.collection('idempotency').updateMany({}, { $set: { lease_until: new Date(0) } });
    const second = create({ cargo: { product: id } }, headers);
    await expect
      .poll(async () => (await documents().findOne({ refs: id }))?.attempt, { interval: 20 })
      .not.toBe(made?.attempt);
    await move();
    expect((await first).status).toBeGreaterThanOrEqual(400);
    const { status, body } = await second;
    expect([status, body.errors]).toEqual([400, refusedFor(id)]);
    expect(await documents().countDocuments({ refs: id })).toBe(0);
  });

  it('has no synonyms in the catalog that it leaves', async () => {
    const { id, move } = await movingRecord();
    const path = `/v2/workspaces/${workspace.id}/xrefs/products`;
    const other = (await service.ask('POST', path, { as: 'client', body: { name: 'Other' } })).body.id;
    const answer = service.ask('POST', `${path}/${id}/synonyms/${other}`, { as: 'client' });
    const synonyms = service.stores.db.collection('synonyms');
    await expect.poll(() => synonyms.countDocuments({ items: id })).toBe(1);
    await move();
    expect((await answer).status).toBe(404);
    expect(await synonyms.countDocuments({ items: id })).toBe(0);
  });
});
