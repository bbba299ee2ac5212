import { randomBytes } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, inject, it } from 'vitest';
import * as command from '../../src/cli/doctor.ts';
import { SecretBox, secretKeys } from '../../src/webhooks/secret-box.ts';
import { newSecret } from '../../src/webhooks/signatures.ts';
import { runCommand } from './run-command.ts';

const mongo = new MongoClient(inject('mongoUri'));
const db = mongo.db(`test_${newId().replaceAll('-', '')}`);
afterAll(async () => {
  await db.dropDatabase();
  await mongo.close();
});

const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const boxOf = (...keys: string[]) => new SecretBox(keys.length === 0 ? [] : (secretKeys(keys.join(',')) ?? []));
const [oldName, newName] = boxOf(OLD, NEW).keyNames;

/** What doctor says of secrets, with these keys. */
async function told(...keys: string[]): Promise<string[]> {
  const settings = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: db.databaseName };
  const env = { ...settings, ...(keys.length > 0 && { WEBHOOK_SECRET_KEY: keys.join(',') }) };
  const { stdout } = await runCommand({ command, args: [], env });
  return [...stdout.matchAll(/^ +(.*(?:secrets of webhooks|WEBHOOK_SECRET_KEY).*)$/gm)].map(([, line = '']) => line);
}

/** A webhook with secrets, of which all but the newest have been in use until now. */
async function putWebhook(_id: string, ...boxes: SecretBox[]): Promise<void> {
  const secrets = boxes.map((box, at) => ({
    ...box.seal(newSecret('v1'), _id),
    ...(at > 0 && { until: new Date(Date.now() + 3_600_000) }),
  }));
  await db.collection<{ _id: string } & Document>('webhooks').insertOne({ _id, secrets });
}

describe('doctor', () => {
  it('says nothing of secrets without webhooks', async () => {
    expect(await told(NEW, OLD)).toEqual([]);
  });

  it('counts secrets by their keys, and names a missing key and its webhooks until nothing in use needs it', async () => {
    await putWebhook('a', boxOf(NEW));
    await putWebhook('b', boxOf(NEW), boxOf(OLD));
    await putWebhook('c', boxOf());
    const counts = `secrets of webhooks: 2 under the key ${newName}, 1 under the key ${oldName}, 1 not encrypted`;
    const lacks = (name = '', ids = '') =>
      `CHECK: WEBHOOK_SECRET_KEY lacks the key ${name}; without it, nothing is sent to ${ids}`;
    expect(await told(NEW, OLD)).toEqual([counts]);
    expect(await told(NEW)).toEqual([counts, lacks(oldName, 'b')]);
    expect(await told()).toEqual([counts, lacks(newName, 'a, b'), lacks(oldName, 'b')]);
    for (const id of ['d', 'e', 'f', 'g']) await putWebhook(id, boxOf(OLD));
    expect((await told(NEW))[1]).toBe(lacks(oldName, 'b, d, e, f, g'));
    await putWebhook('h', boxOf(OLD));
    expect((await told(NEW))[1]).toBe(lacks(oldName, 'b, d, e, f, g, …'));
    const ended = { $set: { 'secrets.$[].until': new Date(Date.now() - 1_000) } };
    await db.collection<{ _id: string }>('webhooks').updateMany({ _id: { $nin: ['a', 'c'] } }, ended);
    expect(await told(NEW, OLD)).toEqual([
      `secrets of webhooks: 1 under the key ${newName}, 1 not encrypted`,
      `the key ${oldName} of WEBHOOK_SECRET_KEY is no longer needed, except for backups`,
    ]);
  });
});
