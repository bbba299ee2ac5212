import { BSON } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { StoredAttachment } from '../../src/model/entity/entity.ts';
import { duplicateKeyIndex } from '../../src/store/duplicate-key.ts';
import { RawEntity } from '../../src/store/entities/read-entity.ts';
import { CHUNK_SIZE } from '../../src/store/files/chunk-writer.ts';
import type { HeldFile } from '../../src/store/files/held-files.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';

/** A tenant's quota of file bytes. */
const QUOTA = 1_000;

let stores: Stores;
beforeAll(async () => {
  const database = `test_${newId().replaceAll('-', '')}`;
  const quotas = { documents: 0, workspaces: 0, fileBytes: QUOTA };
  stores = await connectStores({ uri: inject('mongoUri'), database, quotas });
});
afterAll(async () => {
  await stores.db.dropDatabase();
  await stores.close();
});

const DOCUMENT = new RawEntity(BSON.serialize({ _id: 'd' }));

const fileOf = (size: number): HeldFile => ({
  ...{ id: newId(), name: 'a.pdf', mediaType: 'application/pdf', size, sha256: '0', chunkSize: CHUNK_SIZE },
  ...{ bytes: Buffer.alloc(size, 1), purpose: 'a test', document: DOCUMENT },
});

function attachmentOf({ id, size }: HeldFile, _id: string): StoredAttachment {
  const at = new Date();
  return {
    ...{ _id, workspace: 'w', type: 'svc.bridge.attachment', readers: ['t'], version_id: newId(), revision: 1 },
    ...{ parent_id: 'd', created_by: 'p', created_at: at, modified_by: 'p', modified_at: at, body: { size } },
    file: { id, chunk_size: CHUNK_SIZE, sha256: '0' },
  };
}

const insert = (file: HeldFile, id: string = newId()) =>
  stores.attachments.insertWithFile(attachmentOf(file, id), file);

const countOf = (collection: string, filter: object) => stores.db.collection(collection).countDocuments(filter);

const insertOf = (sender: string, file: HeldFile) =>
  stores.attachments.insertWithFile({ ...attachmentOf(file, newId()), sender }, file);

/** The number of attachments, files and chunks of a file. */
const partsOf = ({ id }: HeldFile) =>
  Promise.all([
    countOf('attachments', { 'file.id': id }),
    countOf('fs.files', { _id: id }),
    countOf('fs.chunks', { files_id: id }),
  ]);

it('attachments stored together succeed or fail independently, each with all of its files or none', async () => {
  const taken = newId();
  await insert(fileOf(10), taken);
  const files = [fileOf(10), fileOf(0), fileOf(1_000), fileOf(CHUNK_SIZE)] as const;
  const outcomes = await Promise.allSettled(files.map((file, index) => insert(file, index === 2 ? taken : newId())));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(duplicateKeyIndex((outcomes[2] as PromiseRejectedResult).reason)).toBe('_id_');
  expect(await Promise.all(files.map(partsOf))).toEqual([
    [1, 1, 1],
    [1, 1, 0],
    [0, 0, 0],
    [1, 1, 1],
  ]);
});

it('splits attachments that exceed one transaction over several', async () => {
  const files = Array.from({ length: 10 }, () => fileOf(CHUNK_SIZE));
  await Promise.all(files.map((file) => insert(file)));
  expect(await Promise.all(files.map(partsOf))).toEqual(files.map(() => [1, 1, 1]));
});

it.each([
  ['before', [QUOTA + 1, QUOTA]],
  ['behind', [QUOTA, QUOTA + 1]],
])('refuses only the tenant over its quota, %s another one storing at the same moment', async (_, sizes) => {
  const files = sizes.map(fileOf);
  const senders = sizes.map(() => newId());
  const outcomes = await Promise.allSettled(files.map((file, index) => insertOf(String(senders[index]), file)));
  const usage = await stores.usage.list();
  for (const [index, file] of files.entries()) {
    const isOver = file.size > QUOTA;
    expect(outcomes[index]).toMatchObject(isOver ? { reason: { code: 'QUOTA_EXCEEDED' } } : { status: 'fulfilled' });
    expect(await partsOf(file)).toEqual(isOver ? [0, 0, 0] : [1, 1, 1]);
    expect(usage).toContainEqual(expect.objectContaining({ tenant: senders[index], fileBytes: isOver ? 0 : QUOTA }));
  }
});

it("stores as many of a tenant's simultaneous files as fit its quota", async () => {
  const [one, other] = [newId(), newId()];
  const files = [400, 400, 400, 100].map(fileOf);
  const inserts = [...files.map((file) => insertOf(one, file)), insertOf(other, fileOf(QUOTA))];
  const outcomes = await Promise.allSettled(inserts);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(outcomes.at(-1)?.status).toBe('fulfilled');
  const usage = await stores.usage.list();
  expect(usage).toContainEqual(expect.objectContaining({ tenant: one, fileBytes: 900 }));
  expect(usage).toContainEqual(expect.objectContaining({ tenant: other, fileBytes: QUOTA }));
});
