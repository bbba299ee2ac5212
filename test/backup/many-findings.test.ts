import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, expect, inject, it } from 'vitest';
import { USAGE_ID } from '../../src/store/access/tenant-usage.ts';
import { verify } from '../../src/verification/verify.ts';

const client = new MongoClient(inject('mongoUri'));
const db = client.db(`test_${newId().replaceAll('-', '')}`);
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

it('says how many more findings there are than a verification lists', async () => {
  await db.collection<{ _id: string }>('meta').insertOne({ _id: USAGE_ID });
  const wrong = Array.from({ length: 10_700 }, () => ({ _id: newId(), documents: 1, workspaces: 0, fileBytes: 0 }));
  await db.collection<(typeof wrong)[number]>('tenant_usage').insertMany(wrong);
  const { findings, omitted } = await verify({ client, db, againMs: 0 });
  expect([findings.length, omitted]).toEqual([10_000, 700]);
});
