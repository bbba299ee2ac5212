import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { deliveriesOf, makeJob, projectorBegins } from './webhook-fixture.ts';

const query = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'webhooks.graphql'), 'utf8');
const service = serviceFixture({ records: true, delivers: true });
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

/** Runs one operation of the example. */
async function run(operationName: string, variables: object = {}, as: 'admin' | 'client' = 'admin') {
  const { body } = await service.ask('POST', '/graphql', { as, body: { query, operationName, variables } });
  return body;
}

it('examples/webhooks.graphql creates a webhook, shows what it delivers, and deletes it', async () => {
  await using receiver = await Receiver.start();
  const made = (await run('CreateWebhook', { body: { url: receiver.url } })).data.createWebhook;
  expect(made).toEqual({ id: expect.any(String), secret: expect.stringMatching(/^whsec_/), enabled: true });
  const { id } = made;
  await makeJob(service, workspace.id);
  await receiver.messages(1);
  expect((await run('PingWebhook', { id })).data.pingWebhook.status).toBe('pending');
  await receiver.messages(2);
  await deliveriesOf(service, id, (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
  const { webhookDeliveries: deliveries } = (await run('WebhookDeliveries', { id, status: 'delivered' })).data;
  expect(deliveries.map(({ type }: { type: string }) => type).sort()).toEqual(['job.created', 'webhook.ping']);
  expect((await run('RetryWebhookDelivery', { id, delivery: deliveries[0].id })).errors).toBeUndefined();
  expect((await run('ReplayWebhook', { id, after: '0' })).data.replayWebhook.place).toBe('0');
  expect((await run('RotateWebhookSecret', { id })).data.rotateWebhookSecret.secret).not.toBe(made.secret);
  expect((await run('DisableWebhook', { id })).data.updateWebhook).toEqual({
    id,
    enabled: false,
    disabledReason: 'requested',
  });
  expect((await run('Webhooks')).data.webhooks).toMatchObject([{ id, enabled: false }]);
  expect((await run('DeleteWebhook', { id })).data.deleteWebhook.id).toBe(id);
  expect((await run('Webhooks')).data.webhooks).toEqual([]);
  expect((await run('Webhooks', {}, 'client')).errors[0].extensions.code).toBe('FORBIDDEN');
});
