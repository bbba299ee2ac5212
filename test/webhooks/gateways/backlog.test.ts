import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../rest-compat/endpoints.ts';
import { Metrics } from '../../../src/telemetry/metrics.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { makeJob, makeWebhook, projectorBegins } from '../webhook-fixture.ts';

const service = serviceFixture({
  records: true,
  delivers: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,3600', WEBHOOK_TIMEOUT_SECONDS: '60' },
});
const workspace = workspaceFixture(service);
const metrics = new Metrics(endpoints, '0.0.0');
beforeAll(() => projectorBegins(service));
afterAll(() => metrics.close());

const gauge = async (name: string): Promise<number> => {
  const text = await metrics.registry.getSingleMetricAsString(`inspection_exchange_webhook_${name}`);
  return Number(/ (\S+)$/.exec(text)?.[1]);
};

describe('the webhook metrics', () => {
  it('show how many events and seconds one lags behind, and 0 once it has caught up', async () => {
    const held: ServerResponse[] = [];
    await using receiver = await Receiver.start((_, response) => {
      held.push(response);
      return undefined;
    });
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['job.created'] });
    await expect.poll(() => gauge('endpoints')).toBe(1);
    const jobs = 7;
    for (let index = 0; index < jobs; index++) await makeJob(service, workspace.id);
    await receiver.messages(1);
    await expect.poll(() => gauge('backlog_events')).toBe(jobs);
    await expect.poll(() => gauge('lag_seconds')).toBeGreaterThan(1);
    expect(await gauge('waiting')).toBe(0);

    receiver.behave = () => 204;
    for (const response of held) response.writeHead(204).end();
    await receiver.messages(jobs);
    await expect.poll(() => gauge('backlog_events')).toBe(0);
    await expect.poll(() => gauge('lag_seconds')).toBe(0);
    await service.ask('DELETE', `/v2/webhooks/${id}`, { as: 'admin' });
  });

  it('show documents waiting for a retry, and for how long', async () => {
    await using receiver = await Receiver.start(() => 500);
    const { id } = await makeWebhook(service, { url: receiver.url, event_types: ['job.created'] });
    for (let index = 0; index < 3; index++) await makeJob(service, workspace.id);
    await expect.poll(() => gauge('waiting')).toBe(3);
    await expect.poll(() => gauge('oldest_waiting_seconds')).toBeGreaterThan(0);
    await expect.poll(() => gauge('lag_seconds')).toBeGreaterThan(0);
    await expect.poll(() => gauge('backlog_events')).toBe(0); // they wait for a retry, while the log is read on
    await service.ask('DELETE', `/v2/webhooks/${id}`, { as: 'admin' });
    await expect.poll(() => gauge('waiting')).toBe(0);
  });

  it('include requests to receivers by outcome', async () => {
    const text = await metrics.registry.getSingleMetricAsString('http_client_request_duration_seconds');
    expect(text).toMatch(/_count\{http_request_method="POST",http_response_status_code="204",error_type=""\} \d/);
    expect(text).toMatch(/_count\{http_request_method="POST",http_response_status_code="500",error_type="500"\} 3/);
  });
});
