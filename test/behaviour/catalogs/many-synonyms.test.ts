import { MongoServerError } from 'mongodb';
import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { eraseLeft } from '../../../src/domain/deletion/erasure-sweep.ts';
import { WriteTimeout, writeError } from '../../../src/store/connection/bounded-writes.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const as = 'vendor';
const LINKS = 2_500;

const collection = (name: string) => service.stores.db.collection<{ _id: string; deleted_at?: Date }>(name);
const catalog = () => `/v2/workspaces/${workspace.id}/xrefs/products`;
const record = async (name: string): Promise<string> =>
  (await service.ask('POST', catalog(), { as, body: { name } })).body.id;
const linksOf = (items: string) => collection('synonyms').countDocuments({ items } as never);

/** Copies a record's only link `count` times. */
async function copyLink(hub: string, count: number): Promise<string[]> {
  const link = await collection('synonyms').findOne({ items: hub } as never);
  const copies = Array.from({ length: count }, () => {
    const items = [hub, newId()].sort();
    return { ...link, _id: newId(), items, pair: items.join(' ') };
  });
  await collection('synonyms').insertMany(copies);
  return copies.map(({ _id }) => _id);
}

async function linkedRecord(name: string): Promise<string> {
  const [hub, other] = [await record(name), await record(`${name}, the other one`)];
  expect((await service.ask('POST', `${catalog()}/${hub}/synonyms/${other}`, { as })).status).toBe(201);
  return hub;
}

describe('a record with thousands of synonyms', () => {
  it('is deleted with all of them, in several transactions, each with its tombstone and its log entry', async () => {
    const hub = await linkedRecord('Hub');
    const links = await copyLink(hub, LINKS);
    expect((await service.ask('DELETE', `${catalog()}/${hub}`, { as })).status).toBe(200);
    expect(await linksOf(hub)).toBe(0);
    const graves = await collection('tombstones')
      .find({ _id: { $in: links } })
      .toArray();
    expect(graves).toHaveLength(LINKS);
    expect(new Set(graves.map(({ deleted_at }) => deleted_at?.getTime())).size).toBeGreaterThan(1);
    const lines = { entity: { $in: links }, action: 'synonym.deleted', tenant: { $ne: null } };
    expect(await collection('audit_log').countDocuments(lines as never)).toBe(LINKS);
  });

  it('loses what its gateway left to the erasure sweep', async () => {
    const hub = await linkedRecord('Left');
    const [kept] = await collection('synonyms')
      .find({ items: hub } as never)
      .toArray();
    expect((await service.ask('DELETE', `${catalog()}/${hub}`, { as })).status).toBe(200);
    if (kept) await collection('synonyms').insertOne(kept);
    await service.stores.erasures.add({ noun: 'records', ids: [hub], workspace: workspace.id }, { goesOn: true });
    await collection('erasures').updateMany({}, { $set: { due: new Date(0) } });
    await service.stores.erasures.runDue((erased) => eraseLeft(service.stores, erased));
    expect(await linksOf(hub)).toBe(0);
  });
});

it('a transaction open for too long is a write timeout', () => {
  const error = new MongoServerError({ message: 'transactionLifetimeLimitSeconds', code: 290 });
  expect(writeError(error)).toBeInstanceOf(WriteTimeout);
});
