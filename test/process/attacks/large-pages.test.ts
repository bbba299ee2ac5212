// May take 30 s: MongoDB sends hundreds of megabytes.
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Fixture, startAttacked } from './attacked-service.ts';

const JOBS = 50;
const BODY_BYTES = 2_000_000;
const REPLY_BYTES = 16 * 1024 * 1024;
/** The lists of one operation may have four times as much. */
const ANSWER_BYTES = 16 * 1024 * 1024;
const LISTS = 40;

describe('many pages of large rows', { timeout: 120_000 }, () => {
  const mongo = new MongoClient(inject('mongoUri'));
  let service: Fixture;

  beforeAll(async () => {
    const patient = { GRAPHQL_TIMEOUT_MS: '60000' }; // a busy machine needs long for 100 MB
    service = await startAttacked({ GRAPHQL_MAX_ANSWER_BYTES: String(ANSWER_BYTES), ...patient });
    const jobs = `/workspaces/${service.workspace}/jobs`;
    const { id } = JSON.parse((await service.ask('POST', jobs, { notes: 'x'.repeat(BODY_BYTES) })).text);
    const stages = [
      { $match: { _id: id } },
      { $set: { n: { $range: [1, JOBS] } } },
      { $unwind: '$n' },
      { $set: { _id: { $concat: [{ $substrBytes: ['$_id', 0, 33] }, { $toString: { $add: ['$n', 100] } }] } } },
      { $unset: 'n' },
      { $merge: 'documents' },
    ];
    await mongo.db(service.database).collection('documents').aggregate(stages).toArray();
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await mongo.close();
  });

  async function jobs(lists: number, first: number) {
    const list = (_: unknown, at: number) => `a${at}:jobs(first:${first},offset:${at}){nodes{id}}`;
    const { text } = await service.graphql(`{${Array.from({ length: lists }, list).join(' ')}}`);
    expect(service.child.exitCode, text.slice(0, 400)).toBe(null);
    return JSON.parse(text);
  }

  /** How much MongoDB sends during some work, with no earlier request still under way. */
  async function sentDuring(work: () => Promise<unknown>): Promise<number> {
    const db = mongo.db(service.database);
    await expect.poll(readsUnderWay, { timeout: 20_000 }).toEqual([]);
    await db.command({ profile: 2 });
    await work();
    await db.command({ profile: 0 });
    const total = { $group: { _id: null, bytes: { $sum: '$responseLength' } } };
    const [sent] = await db.collection('system.profile').aggregate([total]).toArray();
    await db.collection('system.profile').drop();
    return sent?.bytes;
  }

  const readsUnderWay = () =>
    mongo
      .db('admin')
      .aggregate([{ $currentOp: { idleCursors: true } }, { $match: { ns: `${service.database}.documents` } }])
      .toArray();

  // REST streams lists by the hundred: GraphQL operations read such pages like any other.
  it.each([99, 100])('are refused before most of their rows are read: pages of %i', async (first) => {
    const sent = await sentDuring(async () => {
      expect(await jobs(LISTS, first)).toMatchObject({ errors: [{ extensions: { code: 'TOO_LARGE' } }] });
    });
    expect(sent).toBeLessThan((LISTS / 2) * REPLY_BYTES);
  });

  it('leave no cursor open when refused', async () => {
    await jobs(LISTS, 100);
    await expect.poll(readsUnderWay, { timeout: 20_000 }).toEqual([]);
  });

  it('are answered up to what one operation may hold, and identical ones count once', async () => {
    expect(Object.keys((await jobs(3, 100)).data)).toHaveLength(3);
    const same = Array.from({ length: 20 }, (_, at) => `a${at}:jobs(first:12){nodes{id}}`).join(' ');
    expect(Object.keys(JSON.parse((await service.graphql(`{${same}}`)).text).data)).toHaveLength(20);
  });

  it('are answered to as many concurrent operations as one tenant may have, beside small ones', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, () => jobs(3, 99)));
    const codes = many.map(({ data, errors }) => (data ? 'answered' : errors[0].extensions.code));
    expect(new Set(codes)).toEqual(new Set(['answered', 'UNAVAILABLE']));
    const under = Promise.all(Array.from({ length: 6 }, () => jobs(3, 99)));
    const small = await service.graphql('{ organizations(first: 5) { nodes { name } } }');
    expect(JSON.parse(small.text).errors).toBeUndefined();
    await under;
    expect(await jobs(3, 99)).toHaveProperty('data.a2');
  });

  it('are refused below a mutation, whose change stays, and the next mutation is not run', async () => {
    const made = JSON.parse((await service.ask('POST', `/workspaces/${service.workspace}/jobs`, {})).text);
    const lists = Array.from({ length: 8 }, (_, at) => `a${at}:jobs(first:99,offset:${at}){nodes{id}}`).join(' ');
    const change = `updateJob(id: "${made.id}", patch: { notes: "changed" }) { workspace { ${lists} } }`;
    const next = `next: updateJob(id: "${made.id}", patch: { notes: "changed again" }) { id }`;
    const { errors } = JSON.parse((await service.graphql(`mutation { ${change} ${next} }`)).text);
    expect(errors).toMatchObject([{ extensions: { code: 'TOO_LARGE' }, message: expect.stringContaining('stays') }]);
    const read = await service.ask('GET', `/workspaces/${service.workspace}/jobs/${made.id}`);
    expect(JSON.parse(read.text).notes).toBe('changed');
  });

  it('are streamed by REST whatever their total size', async () => {
    const { status, text } = await service.ask('GET', `/workspaces/${service.workspace}/jobs`);
    expect([status, text.length > JOBS * BODY_BYTES], text.slice(0, 400)).toEqual([200, true]);
    expect(text.endsWith(']'), text.slice(-400)).toBe(true);
  });
});
