// May take 30 s: the service compares versions of megabytes.
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Fixture, startAttacked } from './attacked-service.ts';

/** The setting in docs/operations.md for a container of 512 MB. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256 --max-semi-space-size=16' };
/** The number before those MongoDB assigns to copies of the first version. */
const SECOND = 2;

describe('many large versions', { timeout: 120_000 }, () => {
  const mongo = new MongoClient(inject('mongoUri'));
  let service: Fixture;

  beforeAll(async () => {
    service = await startAttacked(SMALL_HEAP);
  });
  afterAll(async () => {
    await service.stop();
    await mongo.close();
  });

  /** A job with that many superseded versions, whose bodies add these members to the first's; `$n` is the number. */
  async function jobWith(count: number, notes: string, members: object = {}): Promise<string> {
    const jobs = `/workspaces/${service.workspace}/jobs`;
    const { id: entity } = JSON.parse((await service.ask('POST', jobs, { notes })).text);
    expect((await service.ask('PATCH', `${jobs}/${entity}`, { refNumber: 'current' })).status).toBe(200);
    const db = mongo.db(service.database);
    const _id = { $concat: [{ $substrBytes: ['$_id', 0, 33] }, { $toString: { $add: ['$n', 100] } }] };
    const stages = [
      { $match: { entity } },
      { $set: { n: { $range: [SECOND, count + 1] } } },
      { $unwind: '$n' },
      { $set: { _id, revision: '$n', body: { $mergeObjects: ['$body', members] } } },
      { $unset: 'n' },
      { $merge: 'versions' },
    ];
    await db.collection('versions').aggregate(stages).toArray();
    await db.collection<{ _id: string }>('documents').updateOne({ _id: entity }, { $set: { revision: count + 1 } });
    return entity;
  }

  async function versions(id: string, first: number, fields: string) {
    const query = `query($id:UUID!,$first:Int!){job(id:$id){versions(first:$first){${fields}}}}`;
    const { status, text } = await service.graphql(query, { id, first });
    expect([status, service.child.exitCode], text.slice(0, 300)).toEqual([200, null]);
    return JSON.parse(text);
  }

  it('are listed without reading their bodies, which are shown up to what a request may read', async () => {
    const id = await jobWith(40, 'x'.repeat(8_000_000), { refNumber: { $toString: '$n' } });
    expect((await versions(id, 1_000, 'number modifier{name}')).data.job.versions).toHaveLength(41);
    const { data } = await versions(id, 3, 'number changes{path before after}');
    expect(data.job.versions.slice(1)).toEqual([
      { number: 40, changes: [{ path: '/refNumber', before: '39', after: '40' }] },
      { number: 39, changes: [{ path: '/refNumber', before: '38', after: '39' }] },
    ]);
    expect((await versions(id, 3, 'body')).data.job.versions[1].body.refNumber).toBe('40');
    for (const fields of ['body', 'changes{path}', 'changes{before} body']) {
      expect((await versions(id, 40, fields)).errors[0].extensions.code).toBe('TOO_LARGE');
    }
  });

  it('are compared one after the other', async () => {
    const many = { $map: { input: { $range: [0, 250_000] }, as: 'i', in: { a: '$n' } } };
    const id = await jobWith(9, '', { many });
    const { errors } = await versions(id, 9, 'changes{path}');
    expect(errors[0].extensions.code).toBe('COST_EXCEEDED');
    expect((await versions(id, 1, 'number')).data.job.versions).toEqual([{ number: 10 }]);
  });
});
