import { randomUUID } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Stored } from '../../../src/model/entity/entity.ts';
import { WrittenEntity } from '../../../src/store/entities/read-entity.ts';
import { connectStores, type Stores } from '../../../src/store/stores.ts';
import { verify } from '../../../src/verification/verify.ts';
import { dropDatabase } from '../../drop-database.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await connectStores({ uri: inject('mongoUri'), database: `test_expiry_${randomUUID()}` });
});
afterAll(async () => {
  await dropDatabase(stores.db);
  await stores.close();
});

const NOW = new Date();
const collection = (name: string) => stores.db.collection<{ _id: string; expires_at?: Date }>(name);
const unlimited = (entity: string) =>
  collection('versions').countDocuments({ entity, expires_at: { $exists: false } } as never);
const tombstone = (_id: string) => collection('tombstones').findOne({ _id });

/** An entity at its `revision`th version, each with a note of `size` characters. */
function entityAt(revision: number, size: number, _id = newId()): Stored {
  const body = { notes: 'x'.repeat(size) };
  const by = { created_by: 'a', created_at: NOW, modified_by: 'a', modified_at: NOW };
  const own = { _id, version_id: `${_id} ${revision}`, revision, workspace: 'w', parent_id: null, readers: [] };
  return { ...own, ...by, type: 'svc.inspection.timelog', body };
}

const superseded = ({ _id, version_id, revision, workspace, modified_by, modified_at, body }: Stored) => ({
  ...{ _id: version_id, entity: _id, workspace, revision, modified_by, modified_at, body },
});

/** Buries entities at a version, with those they superseded, in one transaction. */
async function buried(all: readonly Stored[]): Promise<void> {
  const versions = all.flatMap(({ _id, revision, body: { notes } }) =>
    Array.from({ length: revision - 1 }, (_, i) => superseded(entityAt(i + 1, String(notes).length, _id))),
  );
  if (versions.length > 0) await collection('versions').insertMany(versions);
  const sourceOf = () => ({ tenant: null, principal: null, operation: 'test' }) as never;
  await stores.transaction((tx) => stores.tombstones.bury(all, { sourceOf, at: NOW }, tx));
}

it('the versions of a deleted entity expire with it', async () => {
  const all = [entityAt(3, 10), entityAt(1, 10), entityAt(20, 1_000)];
  await buried(all);
  for (const { _id } of all) {
    expect(await unlimited(_id)).toBe(0);
    expect(await tombstone(_id)).not.toHaveProperty('versions_left');
  }
});

it('a version left by an interrupted change of a never-changed entity expires with it, beside others', async () => {
  const [first, other] = [entityAt(1, 10), entityAt(1, 10)];
  await collection('versions').insertOne(superseded(first) as never);
  await buried([other, first, entityAt(3, 10)]);
  const { expires_at } = (await tombstone(first._id)) ?? {};
  expect(expires_at).toBeInstanceOf(Date);
  expect(await collection('versions').distinct('expires_at', { entity: first._id } as never)).toEqual([expires_at]);
});

it('versions too large for its transaction get their expiry later, and verification finds nothing wrong meanwhile', async () => {
  const [large, many, small] = [entityAt(7, 600_000), entityAt(1_500, 10), entityAt(2, 10)];
  await buried([large]);
  await buried([many, small]);
  expect(await unlimited(large._id)).toBe(5);
  expect((await unlimited(many._id)) + (await unlimited(small._id))).toBe(500);
  expect(await tombstone(large._id)).toHaveProperty('versions_left', true);
  const findings = async () => (await verify({ client: stores.db.client, db: stores.db, againMs: 0 })).findings;
  expect(await findings()).toEqual([]);

  await stores.tombstones.limitVersionsLeft();
  expect(await findings()).toEqual([]);
  for (const { _id } of [large, many, small]) {
    const grave = await tombstone(_id);
    expect(grave).not.toHaveProperty('versions_left');
    expect(await collection('versions').distinct('expires_at', { entity: _id } as never)).toEqual([grave?.expires_at]);
  }
});

it('a change after the deletion removes no version that the deletion covers', async () => {
  const last = entityAt(6, 600_000);
  await buried([last]);
  const change = (revision: number) =>
    stores.documents.replace(new WrittenEntity(entityAt(revision, 600_000, last._id)), last as never);
  expect([await change(2), await change(6)]).toEqual([false, false]);
  const numbers = await collection('versions').distinct('revision', { entity: last._id } as never);
  expect(numbers).toEqual([1, 2, 3, 4, 5]);
});
