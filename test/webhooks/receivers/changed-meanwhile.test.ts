import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { deliveriesOf, makeJob, makeWebhook, projectorBegins } from '../webhook-fixture.ts';

const service = serviceFixture({
  records: true,
  delivers: true,
  env: { WEBHOOK_RETRY_SECONDS: '0,600,600,600', WEBHOOK_TIMEOUT_SECONDS: '60', WEBHOOK_MAX_PER_TENANT: '100' },
});
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

const ask = (method: string, path: string, body?: object) =>
  service.ask(method, `/v2/webhooks/${path}`, { as: 'admin', ...(body && { body }) });

/** A webhook whose only message failed once; the receiver holds the next attempt until told what to answer. */
async function failedOnce() {
  const receiver = await Receiver.start(() => 503);
  const { id } = await makeWebhook(service, { url: receiver.url });
  const job = await makeJob(service, workspace.id);
  const [delivery] = await deliveriesOf(service, id, ([first]) => first?.status === 'failed');
  const held: ServerResponse[] = [];
  receiver.behave = (_, response) => {
    held.push(response);
    return undefined;
  };
  const isHeld = () => expect.poll(() => held.length, { timeout: 20_000 }).toBe(1);
  return { receiver, id, job, delivery, held, isHeld, retry: `${id}/deliveries/${delivery.id}/retry` };
}

describe('a retry requested while an attempt is under way', () => {
  it('is made when that attempt fails', async () => {
    const { receiver, id, job, delivery, held, isHeld, retry } = await failedOnce();
    await using _ = receiver;
    await ask('POST', retry);
    await isHeld();
    receiver.behave = () => 503;
    const asked = await ask('POST', retry);
    expect([asked.status, asked.body.next_attempt_at]).toEqual([202, expect.any(String)]);
    held.pop()?.writeHead(500).end();
    expect((await receiver.messages(3)).length).toBe(3);
    const isTriedThrice = ([first]: { attempts: object[] }[]) => first?.attempts.length === 3;
    const [failed] = await deliveriesOf(service, id, isTriedThrice);
    expect(failed).toMatchObject({ id: delivery.id, document_id: job, status: 'failed' });
    expect(Date.parse(failed.next_attempt_at)).toBeGreaterThan(Date.now() + 300_000);
  });
});
