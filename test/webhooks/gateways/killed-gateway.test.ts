// May take 30 s: two gateways are started, and one of them is killed.
import { once } from 'node:events';
import { afterAll, expect, inject, it, vi } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../faults/gateway-process.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { type Received, Receiver } from '../receiver.ts';
import { makeJob, makeWebhook, patchJob, projectorBegins } from '../webhook-fixture.ts';

const CHANGES = 4;

const service = serviceFixture(); // answers requests; it neither records nor delivers
const workspace = workspaceFixture(service);
const gateways: GatewayProcess[] = [];
afterAll(() => {
  for (const { gateway } of gateways) gateway.kill('SIGKILL');
});

const until = (fits: () => Promise<void> | void) => vi.waitFor(fits, { timeout: 60_000, interval: 50 });
const start = async () => {
  const env = { WEBHOOK_RETRY_SECONDS: '0,1,1,1', WEBHOOK_TIMEOUT_SECONDS: '60' };
  const started = await startGatewayProcess(inject('mongoUri'), service.stores.db.databaseName, env);
  gateways.push(started);
  return started;
};
const idOf = ({ headers }: Received) => String(headers['webhook-id']);
const isOf = (document: string | undefined) => (got: Received) => got.body.data.document_id === document;

it('a gateway killed while it delivers is replaced by another, and nothing is lost or out of order', async () => {
  const first = await start();
  await projectorBegins(service);
  // Suspended until the first is killed: its start may take longer than the first one waits for a response.
  const second = await start();
  second.gateway.kill('SIGSTOP');
  await using receiver = await Receiver.start();
  const { id: webhook, place } = await makeWebhook(service, { url: receiver.url, enabled: false });

  const jobs = await Promise.all(Array.from({ length: 6 }, () => makeJob(service, workspace.id)));
  const [waiting, hanging] = jobs;
  for (let notes = 1; notes <= CHANGES; notes++) {
    await Promise.all(jobs.map((id) => patchJob(service, { workspace: workspace.id, id }, { notes: String(notes) })));
  }
  const changes = async () => (await service.ask('GET', `/v2/changes?after=${place}`, { as: 'client' })).body.changes;
  await until(async () => expect((await changes()).length).toBe(jobs.length * (1 + CHANGES)));

  // One job fails once, so that its changes wait, and hangs in the middle of them; another hangs at its second change.
  const accepted: Received[] = [];
  const held: Received[] = [];
  const seenOf = (got: Received) => receiver.received.filter(isOf(got.body.data.document_id)).length;
  receiver.behave = (got) => {
    if (isOf(waiting)(got) && seenOf(got) === 1) return 500;
    const hangs = isOf(waiting)(got) ? seenOf(got) === 4 : isOf(hanging)(got) && seenOf(got) === 3;
    (hangs ? held : accepted).push(got);
    return hangs ? undefined : 204;
  };
  await service.ask('PATCH', `/v2/webhooks/${webhook}`, { as: 'admin', body: { enabled: true } });
  await until(() => expect(held.length).toBe(2));
  const before = receiver.received.length;
  const killed = performance.now();
  first.gateway.kill('SIGKILL');
  await once(first.gateway, 'exit');
  receiver.behave = (got) => {
    accepted.push(got);
    return 204;
  };
  second.gateway.kill('SIGCONT');

  const wanted = (await changes()).map(({ id }: { id: string }) => `${id}_${webhook}`);
  await until(() => expect(new Set(accepted.map(idOf)).size).toBe(wanted.length));
  expect([...new Set(accepted.map(idOf))].sort()).toEqual([...wanted].sort());
  expect((receiver.received[before]?.at ?? Number.POSITIVE_INFINITY) - killed).toBeLessThan(30_000);
  for (const one of held) {
    const again = accepted.find((got) => idOf(got) === idOf(one));
    expect(again?.text).toBe(one.text);
  }
  for (const job of jobs) {
    const order = [...new Set(accepted.filter(isOf(job)).map(({ body }) => Number(body.data.id)))];
    expect(order).toEqual([...order].sort((a, b) => a - b));
  }
}, 150_000);
