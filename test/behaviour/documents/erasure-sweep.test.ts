import { describe, expect, it } from 'vitest';
import { eraseLeft } from '../../../src/domain/deletion/erasure-sweep.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const QUALITY = {
  ...{ status: 'preliminary', setNumber: 1, sample: { location: 'SHIP' }, result: '1' },
  ...{ test: { name: 'Density' }, method: { name: 'ASTM D4052' }, uom: { name: 'kg/m3' } },
};

const service = serviceFixture();
const workspace = workspaceFixture(service);

const collection = (name: string) => service.stores.db.collection<{ _id: string }>(name);
const there = (name: string, _id: string) => collection(name).countDocuments({ _id });
const look = () => service.stores.erasures.runDue((erased) => eraseLeft(service.stores, erased));
/** As if so much time had passed since everything that was listed. */
const later = (minutes: number) =>
  collection('erasures').updateMany({}, [{ $set: { due: { $subtract: ['$due', minutes * 60_000] } } }]);

async function create(path: string, body: object): Promise<string> {
  const answer = await service.ask('POST', path, { as: 'client', body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** A job with a result, and the result once more after the deletion: as a request leaves it that died before it looked. */
async function resultWithoutJob(): Promise<{ job: string; result: string; path: string }> {
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const job = await create(jobs, {});
  const result = await create(`${jobs}/${job}/quality`, QUALITY);
  const stored = await collection('documents').findOne({ _id: result });
  const path = `${jobs}/${job}`;
  expect((await service.ask('DELETE', path, { as: 'client' })).status).toBe(200);
  if (stored) await collection('documents').insertOne(stored);
  return { job, result, path };
}

describe('the sweep of what was erased', () => {
  it('erases what a request that died has left below a deleted job, a minute later', async () => {
    const { result } = await resultWithoutJob();
    expect(await look()).toBe(0);
    expect(await there('documents', result)).toBe(1);
    await later(2);
    expect(await look()).toBe(1);
    expect(await there('documents', result)).toBe(0);
  });

  it('looks once more after a quarter of an hour, and then forgets', async () => {
    await collection('erasures').deleteMany({});
    const { job, result } = await resultWithoutJob();
    const stored = await collection('documents').findOne({ _id: result });
    await later(2);
    await look();
    if (stored) await collection('documents').insertOne(stored);
    await later(16);
    await look();
    expect(await there('documents', result)).toBe(0);
    await later(60);
    await look();
    expect(await there('erasures', job)).toBe(0);
  });

  it('lets alone what is there again', async () => {
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const job = await create(jobs, {});
    const stored = await collection('documents').findOne({ _id: job });
    expect((await service.ask('DELETE', `${jobs}/${job}`, { as: 'client' })).status).toBe(200);
    if (stored) await collection('documents').insertOne(stored);
    const result = await create(`${jobs}/${job}/quality`, QUALITY);
    await later(2);
    await look();
    expect(await there('documents', result)).toBe(1);
  });

  it('erases the records that were left in a deleted workspace', async () => {
    const empty = await create('/workspaces', {
      parties: { client: { id: workspace.client }, vendor: { id: workspace.vendor } },
    });
    const record = await create(`/workspaces/${empty}/catalogs/products`, { name: 'Naphtha' });
    const stored = await collection('catalog_records').findOne({ _id: record });
    expect((await service.ask('DELETE', `/workspaces/${empty}`, { as: 'client' })).status).toBe(200);
    if (stored) await collection('catalog_records').insertOne(stored);
    await later(2);
    await look();
    expect(await there('catalog_records', record)).toBe(0);
  });

  it('comes again to what could not be done', async () => {
    const { result } = await resultWithoutJob();
    await later(2);
    await expect(service.stores.erasures.runDue(() => Promise.reject(new Error('no primary')))).rejects.toThrow(
      'no primary',
    );
    await later(2);
    await look();
    expect(await there('documents', result)).toBe(0);
  });
});
