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
/** As if that much time had passed since everything listed. */
const later = (minutes: number) =>
  collection('erasures').updateMany({}, [{ $set: { due: { $subtract: ['$due', minutes * 60_000] } } }]);

async function create(path: string, body: object): Promise<string> {
  const answer = await service.ask('POST', path, { as: 'client', body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** Jobs that were deleted and have left nothing behind. */
async function createAndDelete(count: number): Promise<void> {
  const jobs = `/workspaces/${workspace.id}/jobs`;
  for (let made = 0; made < count; made++) {
    const job = await create(jobs, {});
    expect((await service.ask('DELETE', `${jobs}/${job}`, { as: 'client' })).status).toBe(200);
  }
}

/** A job with a result, and the result again after the deletion: as left by a request that died before its check. */
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

describe('the erasure sweep', () => {
  it('erases what a request that died left below a deleted job, a minute later', async () => {
    const { result } = await resultWithoutJob();
    expect(await look()).toBe(0);
    expect(await there('documents', result)).toBe(1);
    await later(2);
    expect(await look()).toBe(1);
    expect(await there('documents', result)).toBe(0);
  });

  it('checks again after a quarter of an hour, and then forgets', async () => {
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

  it('leaves alone what exists again', async () => {
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

  it('erases records left in a deleted workspace', async () => {
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

  it('checks many together, in a few commands, and erases only what is below a deleted one', async () => {
    await collection('erasures').deleteMany({});
    await createAndDelete(30);
    const left = await resultWithoutJob();
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const other = await create(`${jobs}/${await create(jobs, {})}/quality`, QUALITY);
    await later(2);
    const calls: number[] = [];
    const counted = service.stores.erasures.runDue((erased) => {
      calls.push(erased.length);
      return eraseLeft(service.stores, erased);
    });
    expect(await counted).toBe(31);
    expect(calls).toEqual([31]);
    expect(await there('documents', left.result)).toBe(0);
    expect(await there('documents', other)).toBe(1);
    expect(await collection('erasures').countDocuments({ looked: true })).toBe(31);
  });

  it('shares due entries with other gateways: nothing is checked twice', async () => {
    await collection('erasures').deleteMany({});
    await createAndDelete(12);
    await later(2);
    const seen: string[] = [];
    const sweep = () =>
      service.stores.erasures.runDue(async (erased) => {
        seen.push(...erased.flatMap(({ ids }) => ids));
      });
    const counts = await Promise.all([sweep(), sweep(), sweep()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(new Set(seen).size).toBe(12);
    expect(seen).toHaveLength(12);
  });

  it('continues when one entry fails, and keeps what is erased anew meanwhile', async () => {
    await collection('erasures').deleteMany({});
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const [bad, ...good] = await Promise.all([1, 2, 3].map(() => create(jobs, {})));
    for (const job of [bad, ...good]) await service.ask('DELETE', `${jobs}/${job}`, { as: 'client' });
    await later(2);
    const [anew = ''] = good;
    const work = service.stores.erasures.runDue(async (erased) => {
      const ids = erased.flatMap((one) => one.ids);
      if (ids.includes(String(bad))) throw new Error('too many');
      if (!ids.includes(anew)) return;
      await service.stores.erasures.add({ noun: 'documents', ids: [anew], workspace: workspace.id });
    });
    await expect(work).rejects.toThrow('too many');
    const looked = async (_id: string) =>
      (await service.stores.db.collection<{ _id: string; looked: boolean }>('erasures').findOne({ _id }))?.looked;
    expect(await Promise.all([bad, ...good].map((id) => looked(String(id))))).toEqual([false, false, true]);
  });

  it('retries what failed', async () => {
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
