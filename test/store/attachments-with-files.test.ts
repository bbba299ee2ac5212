import { BSON } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { StoredAttachment } from '../../src/model/entity/entity.ts';
import { duplicateKeyIndex } from '../../src/store/duplicate-key.ts';
import { RawEntity } from '../../src/store/entities/read-entity.ts';
import { CHUNK_SIZE } from '../../src/store/files/chunk-writer.ts';
import type { HeldFile } from '../../src/store/files/held-files.ts';
import { connectStores, type Stores } from '../../src/store/stores.ts';

let stores: Stores;
beforeAll(async () => {
  const database = `test_${newId().replaceAll('-', '')}`;
  stores = await connectStores({ uri: inject('mongoUri'), database });
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

/** How many attachments, files and chunks there are of a file. */
const partsOf = ({ id }: HeldFile) =>
  Promise.all([
    countOf('attachments', { 'file.id': id }),
    countOf('fs.files', { _id: id }),
    countOf('fs.chunks', { files_id: id }),
  ]);

it('attachments that are stored together fail or succeed each for itself, with all of their files or nothing', async () => {
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

it('more of them than one transaction takes are stored in several', async () => {
  const files = Array.from({ length: 10 }, () => fileOf(CHUNK_SIZE));
  await Promise.all(files.map((file) => insert(file)));
  expect(await Promise.all(files.map(partsOf))).toEqual(files.map(() => [1, 1, 1]));
});
