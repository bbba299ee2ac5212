import { Writable } from 'node:stream';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { logTo } from '../../src/log.ts';

const mongo = new MongoClient(inject('mongoUri'));
const name = `test_${newId().replaceAll('-', '')}`;
const address = new URL(inject('mongoUri'));
Object.assign(address, { username: name, password: 'a-password' });
const reader = new MongoClient(address.href);

beforeAll(async () => {
  await mongo.db('admin').command({ createUser: name, pwd: 'a-password', roles: [{ role: 'read', db: name }] });
  await mongo.db(name).collection('unique').createIndex({ notes: 1 }, { unique: true });
  await mongo.db(name).collection('unique').insertOne(cargo());
});
afterAll(async () => {
  await mongo.db('admin').command({ dropUser: name });
  await mongo.db(name).dropDatabase();
  await Promise.all([mongo.close(), reader.close()]);
});

const cargo = () => ({ notes: 'Sensitive-Cargo\n    at Sensitive-Port' });

describe('the log entry of a MongoDB error', () => {
  const refused = () => reader.db(name).collection('documents');
  const unique = () => mongo.db(name).collection('unique');

  it.each([
    ['an insert that is refused', /to execute command insert$/m, () => refused().insertOne(cargo())],
    [
      'many inserts that are refused',
      /to execute command insert$/m,
      () => refused().insertMany([cargo(), cargo()], { ordered: false }),
    ],
    [
      'a change that is refused',
      /to execute command findAndModify$/m,
      () => refused().findOneAndUpdate({ _id: newId() as never }, { $set: cargo() }),
    ],
    ['a key that exists', /index: notes_1$/m, () => unique().insertOne(cargo())],
    ['keys that exist', /index: notes_1$/m, () => unique().insertMany([cargo(), cargo()], { ordered: false })],
  ])('contains no document: %s', async (_what, said, work) => {
    const err: Error = await work().then(
      () => Promise.reject(new Error('MongoDB has not refused it.')),
      (error: Error) => error,
    );
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
    const log = logTo({ logLevel: 'info' }, stream);
    log.error({ err }, 'the error');
    log.error({ err: new Error('outer', { cause: err }), cause: err }, 'the cause of another');
    expect(lines.join()).not.toContain('Sensitive');
    const [alone, within] = lines.map((line) => JSON.parse(line));
    expect(alone.err).toMatchObject({ type: err.constructor.name, code: expect.any(Number) });
    for (const text of [alone.err.message, alone.err.stack, within.err.stack, within.cause.message]) {
      expect(text).toMatch(said);
    }
    expect(alone.err.stack).toMatch(/\n {4}at /);
  });
});
