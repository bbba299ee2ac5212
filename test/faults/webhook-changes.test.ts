import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultFixture, startFaultFixture } from './fault-fixture.ts';

let fixture: FaultFixture;
beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(() => fixture.stop());

/** The commit succeeds, but its outcome is not known. */
const UNKNOWN = { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } };

const ask = (method: string, path: string, { key, body }: { key?: string; body?: object } = {}) =>
  fixture.service.ask(method, `/v2/webhooks${path}`, {
    as: 'admin',
    ...(key && { headers: { 'Idempotency-Key': key } }),
    ...(body && { body }),
  });
const makeWebhook = async (): Promise<string> => {
  const { status, body } = await ask('POST', '', { body: { url: 'http://127.0.0.1:9/x' } });
  expect(status).toBe(201);
  return body.id;
};
/** The audit log of a webhook, oldest first. */
async function audited(id: string): Promise<string[]> {
  const query = 'query($id: UUID) { auditLog(entity: $id) { nodes { action } } }';
  const { body } = await fixture.service.graphql(query, { id }, 'admin');
  return body.data.auditLog.nodes.map(({ action }: { action: string }) => action).reverse();
}

describe('changing a webhook while MongoDB does not answer', () => {
  it('rotates the secret once, and shows it on retry', async () => {
    const { mongod } = fixture;
    const id = await makeWebhook();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await mongod.fail({ commands: ['commitTransaction'], data: UNKNOWN });
      expect((await ask('POST', `/${id}/rotate`, { key: `rotates ${id}` })).status).toBe(attempt === 0 ? 503 : 200);
      await mongod.heal();
    }
    const { status, body } = await ask('POST', `/${id}/rotate`, { key: `rotates ${id}` });
    expect([status, body.secret]).toEqual([200, expect.stringMatching(/^whsec_/)]);
    expect(await fixture.count('webhooks', { _id: id, secrets: { $size: 2 } })).toBe(1);
    const another = await ask('POST', `/${id}/rotate`);
    expect(another.body.secret).not.toBe(body.secret);
    expect(await audited(id)).toEqual(['webhook.created', 'webhook.rotated', 'webhook.rotated']);
  });

  it('is audited if it took effect, whatever the answer', async () => {
    const { mongod, service } = fixture;
    const id = await makeWebhook();
    await mongod.fail({ commands: ['commitTransaction'], data: UNKNOWN });
    expect((await ask('PATCH', `/${id}`, { body: { enabled: false } })).status).toBe(503);
    await mongod.heal();
    expect((await ask('GET', `/${id}`)).body.enabled).toBe(false);
    const namespace = `${service.stores.db.databaseName}.webhook_deliveries`;
    await mongod.fail({ commands: ['delete'], namespace, data: { errorCode: 91 } });
    expect((await ask('DELETE', `/${id}`)).status).toBe(200);
    await mongod.heal();
    expect(await audited(id)).toEqual(['webhook.created', 'webhook.disabled', 'webhook.deleted']);
  });

  it('is 503 until the majority has what a repeat finds as it asks for it', async () => {
    const { mongod, service } = fixture;
    const id = await makeWebhook();
    const updates = (collection: string) => ({
      commands: ['update'],
      namespace: `${service.stores.db.databaseName}.${collection}`,
      data: UNKNOWN,
    });
    const change = async () => (await ask('PATCH', `/${id}`, { body: { description: 'new' } })).status;
    await mongod.fail({ commands: ['commitTransaction'], data: UNKNOWN });
    expect([await change(), await fixture.count('webhooks', { _id: id, description: 'new' })]).toEqual([503, 1]);
    await mongod.fail(updates('webhooks'));
    expect(await change()).toBe(503);
    const ping = async () => (await ask('POST', `/${id}/ping`, { key: `pings ${id}` })).status;
    await mongod.fail(updates('webhook_deliveries'));
    expect([await ping(), await fixture.count('webhook_deliveries', { webhook: id })]).toEqual([503, 1]);
    expect(await ping()).toBe(503);
    await mongod.heal();
    expect([await change(), await ping()]).toEqual([200, 202]);
    expect(await audited(id)).toEqual(['webhook.created', 'webhook.changed']);
  });

  it('does not resend a ping', async () => {
    const { mongod, service } = fixture;
    const id = await makeWebhook();
    await mongod.fail({ commands: ['update'], times: 8, data: UNKNOWN });
    expect((await ask('POST', `/${id}/ping`, { key: `pings ${id}` })).status).toBe(503);
    await mongod.heal();
    const sent = { status: 'delivered', next_at: null };
    const deliveries = service.stores.db.collection('webhook_deliveries');
    expect((await deliveries.updateMany({ webhook: id }, { $set: sent })).matchedCount).toBe(1);
    expect((await ask('POST', `/${id}/ping`, { key: `pings ${id}` })).status).toBe(202);
    expect(await deliveries.find({ webhook: id }).toArray()).toMatchObject([sent]);
  });
});
