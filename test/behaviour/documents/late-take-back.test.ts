import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture();

interface Marked {
  readonly _id: string;
  readonly deleting_at?: Date;
}

/** Lets the key of a running request be claimed again, as if its gateway had been silent for long. */
const endLease = () =>
  service.stores.db.collection('idempotency').updateMany({}, { $set: { lease_until: new Date(0) } });

describe('two concurrent attempts of one request, after the lease of the first expired', () => {
  it('create one document, which the first cannot take back once the second has found it', async () => {
    const workspace = await makeWorkspace(service);
    const workspaces = service.stores.db.collection<Marked>('workspaces');
    const documents = service.stores.db.collection('documents');
    const send = (key: string) =>
      service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
        as: 'client',
        body: { notes: key },
        headers: { 'Idempotency-Key': key },
      });
    const key = randomUUID();
    await workspaces.updateOne({ _id: workspace.id }, { $set: { deleting_at: new Date() } });
    const first = send(key); // waits for the deletion, and takes its document back after 5 s
    await expect.poll(() => documents.countDocuments({ 'body.notes': key })).toBe(1);
    const [made] = await documents.find({ 'body.notes': key }).toArray();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await endLease();
    const second = send(key);
    await expect
      .poll(async () => (await documents.findOne({ 'body.notes': key }))?.attempt, { interval: 20 })
      .not.toBe(made?.attempt);
    const [refused, undecided] = await Promise.all([first, second]);
    expect([refused.status, undecided.status]).toEqual([503, 503]);
    await workspaces.updateOne({ _id: workspace.id }, { $unset: { deleting_at: '' } });
    const third = await send(key);
    expect([third.status, third.body.id]).toEqual([201, made?._id]);
    expect(await documents.countDocuments({ 'body.notes': key })).toBe(1);
    const replayed = await send(key);
    expect([replayed.headers.get('idempotency-replayed'), replayed.text]).toEqual(['true', third.text]);
  });

  it('keep the response of the second: the first no longer holds the key', async () => {
    const keys = service.stores.db.collection('idempotency');
    const key = randomUUID();
    const workspace = await makeWorkspace(service);
    const workspaces = service.stores.db.collection<Marked>('workspaces');
    await workspaces.updateOne({ _id: workspace.id }, { $set: { deleting_at: new Date() } });
    const send = service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'client',
      body: { notes: key },
      headers: { 'Idempotency-Key': key },
    });
    await expect.poll(() => keys.countDocuments({ answer: { $exists: false } })).toBe(1);
    await keys.updateOne({ answer: { $exists: false } }, { $set: { holder: 'another claim' } });
    await workspaces.updateOne({ _id: workspace.id }, { $unset: { deleting_at: '' } });
    expect((await send).status).toBe(201);
    expect(await keys.countDocuments({ holder: 'another claim', answer: { $exists: false } })).toBe(1);
  });
});
