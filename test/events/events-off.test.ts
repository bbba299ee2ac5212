import { expect, it } from 'vitest';
import { serviceFixture, startTestService } from '../service.ts';
import { Receiver } from '../webhooks/receiver.ts';
import { deliveriesOf, makeWebhook } from '../webhooks/webhook-fixture.ts';

const service = serviceFixture({ env: { EVENTS: 'off' }, records: true, delivers: true });

it('the change feed of a gateway with EVENTS off is 503, and names the feed', async () => {
  for (const headers of [{}, { Accept: 'text/event-stream' }]) {
    const { status, headers: answered, body } = await service.ask('GET', '/v2/changes', { as: 'client', headers });
    expect([status, answered.get('retry-after')]).toEqual([503, '5']);
    expect(body).toMatchObject({
      code: 'UNAVAILABLE',
      detail: 'There is no change feed here: EVENTS is off, or the service is stopping.',
    });
  }
});

it('its subscriptions are 503, and are named as such', async () => {
  const body = { query: 'subscription { documentChanged { id } }' };
  const headers = { Accept: 'text/event-stream' };
  const { status, text } = await service.ask('POST', '/graphql', { as: 'client', headers, body });
  expect([status, text]).toEqual([503, expect.stringContaining('There are no subscriptions here: EVENTS is off')]);
});

it('its webhooks get a ping as soon as another gateway delivers', async () => {
  await using receiver = await Receiver.start();
  const { id } = await makeWebhook(service, { url: receiver.url });
  const ping = await service.ask('POST', `/v2/webhooks/${id}/ping`, { as: 'admin' });
  expect([ping.status, ping.body.status]).toEqual([202, 'pending']);
  const database = service.stores.db.databaseName;
  await using _other = await startTestService({ database, records: true, delivers: true });
  const [delivered] = await deliveriesOf(service, id, ([first]) => first?.status === 'delivered');
  expect(delivered).toMatchObject({ id: ping.body.id, type: 'webhook.ping', status: 'delivered' });
  expect(receiver.received).toHaveLength(1);
});
