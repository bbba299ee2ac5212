import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { resumePoints } from '../../../src/store/change-streams/resume-point.ts';
import { keptStatistics } from '../../../src/store/migrations/kept-statistics.ts';
import { FORM } from '../../../src/store/migrations/list.ts';
import { migrate } from '../../../src/store/migrations/run-migrations.ts';
import { StoredForm } from '../../../src/store/migrations/stored-form.ts';
import { STATISTICS } from '../../../src/store/statistics/counted-changes.ts';
import { putForm0 } from '../../fixtures/form-0.ts';

const mongo = new MongoClient(inject('mongoUri'));
const freshDb = () => mongo.db(`test_${newId().replaceAll('-', '')}`);

afterAll(() => mongo.close());

describe('a migrating process that was suspended while another one migrated everything', () => {
  it.each([0, FORM - 1])('leaves the form the other one reached, and ends: from form %i', async (number) => {
    const db = freshDb();
    const meta = db.collection<{ _id: string; number: number }>('meta');
    await putForm0(db);
    await meta.insertOne({ _id: 'form', number });
    const session = mongo.startSession();
    session.startTransaction();
    // Until this is committed, the process's write waits.
    await meta.updateOne({ _id: 'form' }, { $set: { number: FORM } }, { session });
    const begun = Promise.withResolvers<void>();
    const ended = migrate(db, { info: () => begun.resolve(), warn: () => undefined }).catch((error: unknown) => error);
    await begun.promise;
    await session.commitTransaction();
    await session.endSession();
    expect(await ended).toMatchObject({ message: expect.stringContaining('was taken over by another process') });
    expect(await meta.findOne({ _id: 'form' })).toEqual({ _id: 'form', number: FORM });
    await db.dropDatabase();
  });

  it('does not resume from progress made towards another form', async () => {
    const db = freshDb();
    const form = new StoredForm(db);
    await putForm0(db);
    const progress = { title: 'keys', place: 'x', read: 500, changed: 0, total: 1_000 };
    expect(await form.keepProgress({ ...progress, to: 1 })).toBe(true);
    expect(await form.progress()).toEqual({ ...progress, to: 1 });
    await db.collection<{ _id: string }>('meta').updateOne({ _id: 'form' }, { $set: { number: 4 } });
    expect(await form.progress()).toBeUndefined();
    await db.dropDatabase();
  });

  it('leaves statistics as recent as they are', async () => {
    const db = freshDb();
    await putForm0(db);
    const point = () => resumePoints(db).findOne({ _id: STATISTICS.resumePoint });
    const done = async () => {
      for await (const { read } of keptStatistics.steps(db, undefined, { warn: expect.fail }))
        expect(read).toBeGreaterThan(0);
    };
    await done();
    const before = await point();
    expect(before?.at).toBeInstanceOf(Date);
    await done();
    expect(await point()).toEqual(before);
    await db.dropDatabase();
  });
});
