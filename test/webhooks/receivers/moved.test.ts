import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serviceFixture, startTestService, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { deliveriesOf, makeJob, makeWebhook, projectorBegins } from '../webhook-fixture.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const patch = (id: string, body: object) => service.ask('PATCH', `/v2/webhooks/${id}`, { as: 'admin', body });
const delivering = () =>
  startTestService({
    database: service.stores.db.databaseName,
    records: true,
    delivers: true,
    env: { WEBHOOK_RETRY_SECONDS: '0,3600,3600' },
  });

describe('a webhook that gets another URL', () => {
  it('is changed while the deliveries that wait are being tried', async () => {
    const WAITING = 20_000;
    const { deliveries } = service.stores;
    const { id: webhook } = await makeWebhook(service, { url: 'http://127.0.0.1:9/before', enabled: false });
    const rows = service.stores.db.collection<{ _id: string }>('webhook_deliveries');
    const later = new Date(Date.now() + 3_600_000);
    const idOf = (index: number) => `${index}_${webhook}`;
    const waiting = { webhook, type: 'job.created', status: 'failed', tries: 1, waits: true, next_at: later };
    await rows.insertMany(
      Array.from({ length: WAITING }, (_, index) => ({
        ...{ _id: idOf(index), id: idOf(index), event: index, document: `document ${index}` },
        ...{ ...waiting, attempts: [], created_at: new Date(), expires_at: later },
      })),
    );
    let isTrying = true;
    const tryAll = async (): Promise<void> => {
      for (let index = 0; isTrying; index = (index + 7) % WAITING) {
        const subject = { _id: idOf(index), webhook, event: index, type: 'job.created', document: `document ${index}` };
        const outcome = { status: 'failed', tries: 2, next_at: later, waits: true } as const;
        await deliveries.record(subject, outcome, { time: new Date(), status: 500, duration: 1, error: 'failed' });
        await sleep(2);
      }
    };
    const trying = tryAll();
    await sleep(200);
    const answers = [];
    for (const path of ['one', 'two', 'three'])
      answers.push(await patch(webhook, { url: `http://127.0.0.1:9/${path}` }));
    isTrying = false;
    await trying;
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await service.ask('DELETE', `/v2/webhooks/${webhook}`, { as: 'admin' });
  });

  it('has what failed tried there at once, by the next gateway if none delivers', async () => {
    await using broken = await Receiver.start(() => 500);
    await using receiver = await Receiver.start(() => 500);
    const first = await delivering();
    await projectorBegins(first);
    const { id } = await makeWebhook(service, { url: broken.url });
    const job = await makeJob(first, workspace.id);
    await deliveriesOf(service, id, ([only]) => only?.attempts.length === 1);
    expect((await patch(id, { url: receiver.url })).status).toBe(200);
    const [tried] = await deliveriesOf(service, id, ([only]) => only?.attempts.length === 2);
    expect(Date.parse(tried.next_attempt_at)).toBeGreaterThan(Date.now() + 3_500_000);
    await first.stop();

    await using other = await Receiver.start();
    expect((await patch(id, { url: other.url })).status).toBe(200);
    await using _second = await delivering();
    expect((await other.messages(1)).map(({ body }) => body.data.document_id)).toEqual([job]);
    expect([broken.received.length, receiver.received.length]).toEqual([1, 1]);
    expect(await deliveriesOf(service, id, ([only]) => only?.status === 'delivered')).toMatchObject([
      { next_attempt_at: null },
    ]);
  });
});
