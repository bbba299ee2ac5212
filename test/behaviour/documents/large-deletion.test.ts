// May take 30 s: thousands of documents are created and deleted.
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eraseLeft } from '../../../src/domain/deletion/erasure-sweep.ts';
import { WriteTimeout } from '../../../src/store/connection/bounded-writes.ts';
import type { Erased } from '../../../src/store/entities/erasures.ts';
import { verify } from '../../../src/verification/verify.ts';
import { filePart, formOf, sendForm } from '../../rest-compat/form.ts';
import { type Answer, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';
import { jobDocuments } from './job-documents.ts';

const service = serviceFixture({ records: true, counts: true, env: { MAX_TENANT_DOCUMENTS: '100000' } });
const workspace = workspaceFixture(service);
const { pathOf, create, patch, get } = jobDocuments(service, workspace);
const mongo = new MongoClient(inject('mongoUri'));
afterAll(() => mongo.close());

const collection = (name: string) => service.stores.db.collection<{ _id: string; entity: string }>(name);
const remove = (id: string): Promise<Answer> => service.ask('DELETE', pathOf(id), { as: 'client' });
const below = (...parents: string[]) => collection('documents').countDocuments({ parent_id: { $in: parents } });

/** Stores `count` time log events of a job, and returns their ids. */
async function addEvents(parent: string, count: number, notes = 'all fast'): Promise<string[]> {
  const body = { type: 'svc.inspection.timelog', body: Array.from({ length: count }, () => ({ parent, notes })) };
  const answer = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, { as: 'vendor', body });
  expect(answer.status).toBe(201);
  return answer.body.map(({ id }: { id: string }) => id);
}

async function attach(document: string): Promise<string> {
  const { status, body } = await sendForm(service, `${pathOf(document)}/attachments`, formOf(filePart('bytes')));
  expect(status).toBe(201);
  return body.id;
}

/** What is kept of deleted entities: the number of tombstones, audit log entries, and transactions that erased them. */
async function traces(ids: readonly string[]) {
  const graves = collection('tombstones').find({ _id: { $in: [...ids] } });
  const moments = new Set((await graves.toArray()).map((grave) => String(Object(grave).deleted_at.getTime())));
  const lines = await collection('audit_log')
    .find({ entity: { $in: [...ids] }, action: /deleted$/ } as never)
    .toArray();
  return {
    tombstones: await collection('tombstones').countDocuments({ _id: { $in: [...ids] } }),
    lines: lines.length,
    entities: new Set(lines.map(({ entity }) => entity)).size,
    transactions: moments.size,
  };
}

/** All changes of the workspace after a cursor, read as a partner reads them. */
async function changesAfter(place: string) {
  const changes: { kind: string; document_id: string; by: string }[] = [];
  for (let after = place; ; ) {
    const { body } = await service.ask('GET', `/v2/changes?limit=1000&wait=2&after=${after}`, { as: 'vendor' });
    if (body.changes.length === 0) return { changes, next: after };
    changes.push(...body.changes);
    after = body.next;
  }
}

const sweep = (erased: readonly Erased[]) => eraseLeft(service.stores, erased);
const findings = async () =>
  (await verify({ client: mongo, db: mongo.db(service.stores.db.databaseName), againMs: 0 })).findings;

async function sweepAtOnce(): Promise<number> {
  await collection('erasures').updateMany({}, { $set: { due: new Date(0) } });
  return service.stores.erasures.runDue(sweep);
}

/** What waits for a deletion gives up after five seconds, and a busy machine may take longer for one. */
const BUSY = 503;

/**
 * What becomes of a deletion that others block, on a busy machine for so long that it leaves the rest to the sweep, or is not begun
 * and has to be asked for again: whether it, an earlier request for it, or someone else erased the document.
 */
async function outcomeOf(id: string): Promise<'erased' | 'erased before' | 'not found'> {
  for (let isFirst = true; ; isFirst = false) {
    const { status, body } = await remove(id);
    if (status === 404) return isFirst ? 'not found' : 'erased before';
    if (status === 200 || /the rest will be deleted/.test(body.detail)) return 'erased';
    expect(status).toBe(BUSY);
  }
}

/** How many erasures a sweep went on with, or tried to while they were under way for so long that it gave up. */
const trySweep = () =>
  sweepAtOnce().catch((error: unknown) => {
    if (!(error instanceof WriteTimeout)) throw error;
    return 1;
  });

describe('a deletion too large for one transaction', () => {
  let place: string;

  beforeAll(async () => {
    const read = () => service.ask('GET', '/v2/changes?wait=1', { as: 'vendor' });
    let { body } = await read();
    for (; body.changes.length === 0; { body } = await read()) await create({}); // until the projector has begun
    place = body.next;
  });

  it('leaves the traces of a small one for each document, once: children, their children and files too', async () => {
    const job = await create({ refNumber: 'LARGE' });
    const child = await create({ parent: job.id });
    const events = [...(await addEvents(job.id, 1_300)), ...(await addEvents(child.id, 1_200))];
    const [changed = '', withFile = ''] = events.slice(-2);
    expect((await patch(changed, { notes: 'changed' })).status).toBe(200);
    const files = [await attach(job.id), await attach(child.id), await attach(withFile)];
    const { changes: made, next } = await changesAfter(place);
    expect(made.length).toBeGreaterThan(events.length);

    const { status, body } = await remove(job.id);
    expect([status, body]).toEqual([200, job]);
    const ids = [job.id, child.id, ...events, ...files];
    expect(await below(job.id, child.id, ...events)).toBe(0);
    const { transactions, ...left } = await traces(ids);
    expect(left).toEqual({ tombstones: ids.length, lines: ids.length, entities: ids.length });
    expect(transactions).toBeGreaterThan(2);
    const { changes } = await changesAfter(next);
    expect(changes.map(({ kind }) => kind)).toEqual(changes.map(() => 'DELETED'));
    expect(changes.map((change) => change.document_id).sort()).toEqual([...ids].sort());
    expect(changes[0]?.document_id).toBe(job.id);
    expect(new Set(changes.map(({ by }) => by)).size).toBe(1);
    for (const name of ['fs.files', 'fs.chunks', 'loose_files'])
      expect(await collection(name).countDocuments()).toBe(0);
    await expect.poll(findings, { timeout: 20_000 }).toEqual([]); // covers versions, quotas and statistics
  });

  it('deletes a thousand documents in one transaction', async () => {
    const job = await create({});
    const events = await addEvents(job.id, 1_000);
    expect((await remove(job.id)).status).toBe(200);
    expect(await traces([job.id, ...events])).toMatchObject({ tombstones: 1_001, transactions: 1 });
  });

  it('counts bytes and versions too', async () => {
    const [large, revised] = [await create({}), await create({})];
    const heavy = await addEvents(large.id, 5, 'x'.repeat(1_000_000));
    expect((await remove(large.id)).status).toBe(200);
    expect(await traces([large.id, ...heavy])).toMatchObject({ tombstones: 6, transactions: 2 });
    const events = await addEvents(revised.id, 2);
    await collection('documents').updateMany({ _id: { $in: events } }, { $set: { revision: 600 } });
    expect((await remove(revised.id)).status).toBe(200);
    expect(await traces([revised.id, ...events])).toMatchObject({ tombstones: 3, transactions: 2 });
  });

  it('hides the job first: whoever sees it sees all of it, and strangers nothing', async () => {
    const job = await create({});
    const events = await addEvents(job.id, 2_500);
    let isDone = false;
    const deletion = remove(job.id).finally(() => {
      isDone = true;
    });
    const reads: { readonly isThere: boolean; readonly count: number }[] = [];
    while (!isDone) {
      const count = await below(job.id);
      const [{ status }, foreign] = await Promise.all([
        get(job.id),
        service.ask('GET', pathOf(events.at(-1) ?? ''), { as: 'stranger' }),
      ]);
      reads.push({ isThere: status === 200, count });
      expect(foreign.status).toBe(403);
    }
    expect((await deletion).status).toBe(200);
    expect(reads.filter(({ isThere }) => isThere).map(({ count }) => count)).toEqual(
      reads.filter(({ isThere }) => isThere).map(() => events.length),
    );
  });

  it('leaves nothing when it meets another one, or anything created below at the same time', async () => {
    const job = await create({});
    const child = await create({ parent: job.id });
    const events = [...(await addEvents(child.id, 1_200)), ...(await addEvents(job.id, 1_200))];
    const post = (parent: string) =>
      service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, {
        as: 'vendor',
        body: { type: 'svc.inspection.timelog', body: { parent } },
      });
    let isDone = false;
    const deletions = Promise.all([outcomeOf(job.id), outcomeOf(job.id)]).finally(() => {
      isDone = true;
    });
    const made: string[] = [];
    for (const parents = [job.id, child.id]; !isDone; parents.reverse()) {
      const { status, body } = await post(parents[0] ?? '');
      expect([201, 400, 404, BUSY]).toContain(status);
      if (status === 201) made.push(body.id);
    }
    const outcomes = await deletions;
    expect(outcomes).not.toEqual(['not found', 'not found']);
    expect(outcomes).not.toEqual(['erased', 'erased']);
    for (const parent of [job.id, child.id]) expect([400, 404]).toContain((await post(parent)).status);
    await expect.poll(() => sweepAtOnce().then(() => below(job.id, child.id))).toBe(0);
    const ids = [job.id, child.id, ...events, ...made];
    expect(await traces(ids)).toMatchObject({ tombstones: ids.length, lines: ids.length, entities: ids.length });
  });

  it('ends the same if the sweep presumes its gateway dead and continues it too', async () => {
    const job = await create({});
    const events = await addEvents(job.id, 3_500);
    let isDone = false;
    const deletion = outcomeOf(job.id).finally(() => {
      isDone = true;
    });
    let swept = 0;
    while (!isDone) swept += await trySweep();
    expect(await deletion).not.toBe('not found');
    expect(swept).toBeGreaterThan(0);
    await expect.poll(() => sweepAtOnce().then(() => below(job.id))).toBe(0);
    const ids = [job.id, ...events];
    expect(await traces(ids)).toMatchObject({ tombstones: ids.length, lines: ids.length, entities: ids.length });
  });

  it('includes thousands of files of one document', async () => {
    const job = await create({});
    const first = await attach(job.id);
    const [attachment] = await collection('attachments').find({ _id: first }).toArray();
    const [file] = await collection('fs.files').find().toArray();
    const copies = Array.from({ length: 1_500 }, () => newId());
    const copiesOf = (one: object | undefined, more: (id: string) => object) =>
      copies.map((_id) => ({ ...one, ...more(_id), _id }) as never);
    await collection('fs.files').insertMany(copiesOf(file, () => ({})));
    await collection('attachments').insertMany(
      copiesOf(attachment, (id) => ({ version_id: newId(), file: { ...Object(attachment).file, id } })),
    );
    expect((await remove(job.id)).status).toBe(200);
    expect(await traces([job.id, first, ...copies])).toMatchObject({ tombstones: 1_502, transactions: 2 });
    for (const name of ['attachments', 'fs.files', 'loose_files'])
      expect(await collection(name).countDocuments()).toBe(0);
  });

  it('also works for a workspace with thousands of records', async () => {
    const { id } = await makeWorkspace(service);
    const products = `/workspaces/${id}/catalogs/products`;
    const { body } = await service.ask('POST', products, { as: 'client', body: { name: 'Naphtha' } });
    const [record] = await collection('catalog_records').find({ _id: body.id }).toArray();
    const copies = Array.from({ length: 2_500 }, () => ({ ...record, _id: newId(), version_id: newId() }));
    await collection('catalog_records').insertMany(copies as never);
    const path = `/v2/workspaces/${id}`;
    const { status } = await service.ask('DELETE', path, { as: 'client' });
    expect(status).toBe(200);
    expect(await collection('catalog_records').countDocuments({ workspace: id } as never)).toBe(0);
    const ids = [id, body.id, ...copies.map(({ _id }) => _id)];
    const { transactions, ...left } = await traces(ids);
    expect(left).toEqual({ tombstones: ids.length, lines: ids.length, entities: ids.length });
    expect(transactions).toBe(3);
    expect((await service.ask('DELETE', path, { as: 'client' })).status).toBe(404);
  });
});
