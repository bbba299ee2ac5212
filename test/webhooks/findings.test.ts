import { beforeAll, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { deliveriesOf, makeJob, makeWebhook, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({
  records: true,
  delivers: true,
  audits: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,1' },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const FIGURES = ['NSV', 'GSV'].map((code, index) => ({ code, value: 200 - 100 * index, uom: { name: 'm3' } }));

/** A job whose figure audit has a finding in its next result. */
async function makeFinding(): Promise<void> {
  const parent = await makeJob(service, workspace.id, { activity: 'load', status: 'complete' });
  await service.stores.audits.freshness.passed();
  const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, {
    as: 'vendor',
    body: { type: 'svc.inspection.quantityResult', body: { parent, direction: 'source', measurements: FIGURES } },
  });
  expect(made.status, made.text).toBe(201);
}

it('a message about a finding is retried on schedule, and once more on request', async () => {
  await using receiver = await Receiver.start(() => (receiver.received.length === 1 ? 500 : 204));
  const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['finding.appeared'] });
  await makeFinding();
  const sent = await receiver.messages(2);
  expect(sent.map(({ body }) => body.type)).toEqual(['finding.appeared', 'finding.appeared']);
  expect(sent[1]?.headers['webhook-id']).toBe(sent[0]?.headers['webhook-id']);
  expect(sent[1]?.body).toEqual(sent[0]?.body);
  const [delivery] = await deliveriesOf(service, id, ([one]) => one?.status === 'delivered');
  expect(delivery.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 204]);
  const settings = { as: 'admin', body: { event_types: ['job.created'] } } as const;
  expect((await service.ask('PATCH', `/v2/webhooks/${id}`, settings)).status).toBe(200);
  const retry = `/v2/webhooks/${id}/deliveries/${delivery.id}/retry`;
  expect((await service.ask('POST', retry, { as: 'admin' })).status).toBe(202);
  const [, , again] = await receiver.messages(3);
  expect(again?.body).toEqual(sent[0]?.body);
});
