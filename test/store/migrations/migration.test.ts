import { type Document, MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DEMO_KEYS } from '../../../src/demo/principals.ts';
import { derivedParts, documentKind } from '../../../src/domain/documents/document-kind.ts';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { ATTACHMENT_EVENT_TYPE } from '../../../src/model/entity/event-facts.ts';
import { partsOf } from '../../../src/model/fields/text-parts.ts';
import { FORM } from '../../../src/store/migrations/list.ts';
import { connectStores } from '../../../src/store/stores.ts';
import { answersOfForm0, putForm0 } from '../../fixtures/form-0.ts';
import { startTestService, type TestService } from '../../service.ts';

const mongo = new MongoClient(inject('mongoUri'));
const freshDb = () => mongo.db(`test_${newId().replaceAll('-', '')}`);
const meta = (db = freshDb()) => db.collection<{ _id: string; number?: number }>('meta');

afterAll(() => mongo.close());

/** What follows from a body without looking at its references. */
function derivedOf({ type, body }: StoredDocument) {
  const { keys, parts } = derivedParts(documentKind(type), body, []);
  return { keys, ...(parts && { parts }) };
}

/** The tenant of a demo key. */
const tenantOf = (principal: string) => DEMO_KEYS.find(({ id }) => id === principal)?.tenant;

/** A schema's id follows from the model of the answering version (contract §5). */
const withoutSchemaIds = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === 'schema' && typeof value === 'string' ? undefined : value,
  );

describe('starting on a database stored by an earlier version', () => {
  const db = freshDb();
  const documents = db.collection<StoredDocument>('documents');
  let service: TestService;
  let before: StoredDocument[];
  let eventsBefore: number;

  beforeAll(async () => {
    await putForm0(db);
    before = await documents.find({}, { sort: { _id: 1 } }).toArray();
    eventsBefore = await db.collection('events').countDocuments();
    service = await startTestService({ database: db.databaseName, records: true });
  });
  afterAll(async () => {
    await service.stop();
    await db.dropDatabase();
  });

  it('answers as that version did, in every family, sorted and filtered by the newly keyed fields', async () => {
    const answers = Object.entries(answersOfForm0());
    expect(answers.length).toBeGreaterThan(30);
    for (const [path, body] of answers) {
      const now = (await service.ask('GET', path, { as: 'client' })).body;
      expect({ path, body: withoutSchemaIds(now) }).toEqual({ path, body: withoutSchemaIds(body) });
    }
  });

  it('would not, without the migration', () => {
    const lacking = before.filter(({ type, body, keys }) => {
      const wanted = derivedParts(documentKind(type), body, []).keys;
      return Object.keys(wanted).length > Object.keys(keys ?? {}).length;
    });
    expect(lacking.length).toBe(16);
  });

  it('gives every document the sender, keys and text parts that a write would, and changes nothing else', async () => {
    const after = await documents.find({}, { sort: { _id: 1 } }).toArray();
    expect(after).toEqual(
      before.map((document) => ({
        ...document,
        sender: tenantOf(document.created_by),
        ...derivedOf(document),
      })),
    );
  });

  it('gives names their text parts', async () => {
    for (const name of ['organizations', 'catalog_records']) {
      const stored = await db
        .collection<{ type: string; name_key: string; body: Document; parts?: string[] }>(name)
        .find()
        .toArray();
      expect(stored.length).toBeGreaterThan(0);
      expect(stored.map(({ parts }) => parts)).toEqual(
        stored.map(({ type, body, name_key }) => partsOf(type, { ...body, name: name_key })),
      );
    }
  });

  it('records who sent files and opened workspaces, for quotas', async () => {
    for (const name of ['attachments', 'workspaces']) {
      const stored = await db.collection<{ created_by: string; sender?: string }>(name).find().toArray();
      expect(stored.length).toBeGreaterThan(0);
      expect(stored.map(({ sender }) => sender)).toEqual(stored.map(({ created_by }) => tenantOf(created_by)));
    }
  });

  it('returns the files as sent', async () => {
    const [path] = Object.keys(answersOfForm0()).filter((one) => one.endsWith('/attachments'));
    const { body: attachments } = await service.ask('GET', path ?? '', { as: 'client' });
    expect(attachments.length).toBe(2);
    for (const { id, body } of attachments) {
      const response = await fetch(`${service.url}${path}/${id}/content`, {
        headers: { Authorization: 'Bearer demo-client-key' },
      });
      const digest = Buffer.from(await crypto.subtle.digest('SHA-256', await response.arrayBuffer())).toString('hex');
      expect(body.description).toBe(`sha256 ${digest}`);
    }
  });

  it('notifies subscribers of nothing but the next writes', async () => {
    const [path = ''] = Object.keys(answersOfForm0()).filter((one) => /^\/workspaces\/[^/]+\/jobs\?sort/.test(one));
    const made = await service.ask('POST', path.replace(/\?.*/, ''), { as: 'client', body: { refNumber: 'NEW' } });
    expect(made.status).toBe(201);
    const events = db.collection('events');
    await expect.poll(() => events.countDocuments({ document: made.body.id })).toBe(1);
    // Files had no events in that form: those the fixture inserts are announced like any file inserted now.
    expect(await events.countDocuments({ type: { $ne: ATTACHMENT_EVENT_TYPE } })).toBe(eventsBefore + 1);
  });

  it('logs its progress: how many documents of how many', () => {
    const lines = service.logged.filter(({ msg, form }) => Number(form) <= 2 && String(msg).includes('stored form'));
    expect(lines.map(({ msg, form, read, total, changed }) => ({ msg, form, read, total, changed }))).toEqual([
      { msg: 'the stored form is migrated', form: 1, read: 0, total: 23, changed: 0 },
      { msg: 'the stored form has been migrated', form: 1, read: 23, total: 23, changed: 16 },
      { msg: 'the stored form is migrated', form: 2, read: 0, total: 1, changed: 0 },
      { msg: 'the stored form has been migrated', form: 2, read: 1, total: 1, changed: 1 },
    ]);
    expect(FORM).toBeGreaterThanOrEqual(2);
  });

  it('runs once: the next start finds the present form', async () => {
    expect(await meta(db).findOne({ _id: 'form' })).toMatchObject({ number: FORM });
    await using again = await startTestService({ database: db.databaseName });
    expect(again.logged).toEqual([]);
  });
});

describe('the stored form number', () => {
  it('is set to the present one at once in an empty database', async () => {
    const db = freshDb();
    const stores = await connectStores({ uri: inject('mongoUri'), database: db.databaseName });
    expect(await meta(db).findOne({ _id: 'form' })).toMatchObject({ number: FORM });
    await stores.close();
    await db.dropDatabase();
  });

  it('stops a start when newer, with a message saying what was found, what is known and what to do', async () => {
    const db = freshDb();
    await meta(db).insertOne({ _id: 'form', number: FORM + 1 });
    const start = connectStores({ uri: inject('mongoUri'), database: db.databaseName });
    await expect(start).rejects.toThrow(
      new RegExp(`has stored form ${FORM + 1}.*knows forms up to ${FORM}.*Start that version`),
    );
    expect(await db.listCollections().toArray()).toHaveLength(1); // nothing was created
    await db.dropDatabase();
  });

  it('makes commands refuse an older database, which only a start migrates', async () => {
    const db = freshDb();
    await putForm0(db);
    const command = connectStores({ uri: inject('mongoUri'), database: db.databaseName });
    await expect(command).rejects.toThrow(/has stored form 0.*Start the service once/);
    await db.dropDatabase();
  });
});

describe('two gateways starting at once on an older database', () => {
  it('are both up once they have migrated it, each form once', async () => {
    const db = freshDb();
    await putForm0(db);
    const services = await Promise.all([1, 2].map(() => startTestService({ database: db.databaseName })));
    const done = services.flatMap(({ logged }) =>
      logged.filter(({ msg }) => String(msg).includes('has been migrated')),
    );
    // Between two forms, the other one may take over.
    const forms = done.map(({ form }) => Number(form)).toSorted((a, b) => a - b);
    expect(forms).toEqual(Array.from({ length: FORM }, (_, index) => index + 1));
    await Promise.all(services.map((service) => service.stop()));
    await db.dropDatabase();
  });
});
