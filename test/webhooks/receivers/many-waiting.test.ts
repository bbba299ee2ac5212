import { beforeAll, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { deliveriesOf, JOB, makeJob, makeWebhook, projectorBegins } from '../webhook-fixture.ts';

let ahead = 0;
const service = serviceFixture({
  records: true,
  delivers: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,3600,3600' },
  sources: { now: () => new Date(Date.now() + ahead) },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

it('while hundreds of documents wait, others continue; then all are retried', async () => {
  const COUNT = 500;
  let isBroken = true;
  await using receiver = await Receiver.start(({ body }) =>
    isBroken && body.data.references?.refNumber === 'refused' ? 500 : 204,
  );
  const { id } = await makeWebhook(service, { url: receiver.url });
  const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, {
    as: 'client',
    body: { type: JOB, body: Array.from({ length: COUNT }, () => ({ refNumber: 'refused' })) },
  });
  expect(made.status).toBe(201);
  const healthy = await makeJob(service, workspace.id, { refNumber: 'healthy' });
  const came = () => receiver.received.map(({ body }) => body.data.document_id);
  await expect.poll(came, { timeout: 60_000 }).toContain(healthy);
  expect(receiver.received.length).toBe(COUNT + 1);

  isBroken = false;
  ahead += 2 * 3_600_000;
  expect((await receiver.messages(2 * COUNT + 1, { ms: 60_000 })).length).toBe(2 * COUNT + 1);
  const left = await deliveriesOf(service, id, (found) => found.length === 0, '?status=failed');
  expect(left).toEqual([]);
});
