// npm run bench -- --only webhooks: how long after a change its message is there, with receivers that hang beside those that live.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JOB_TYPE } from '../src/model/document-types/job.ts';
import { OURS, type Running, startContestant } from './contestants.ts';
import type { Deliveries } from './load/webhook-receivers.ts';
import type { BenchOptions } from './options.ts';
import type { Stage } from './stage.ts';

const WEBHOOKS = 100;
const HANGING = 10;
const EVENTS_A_SECOND = 200;
/** As long as the first request to a receiver that hangs. */
const LEAD_SECONDS = 20;
const SECONDS = 30;
/** What is on its way when the creations end may take as long. */
const LAST_MS = 10_000;
const MEGABYTE = 1024 * 1024;

interface WebhookBench {
  readonly stage: Stage;
  readonly options: BenchOptions;
  readonly log: (line: string) => void;
}

/** Measures the delay of messages to 90 living receivers beside 10 that hang. */
export async function benchWebhooks({ stage, options, log }: WebhookBench): Promise<void> {
  const gateway = await startContestant({ ...OURS, settings: { WEBHOOK_MAX_PER_TENANT: '1000' } }, stage.place);
  const receivers = fork(join(import.meta.dirname, 'load', 'webhook-receivers.ts'));
  try {
    const [port] = await once(receivers, 'message');
    const workspaces = await makeWebhooks(gateway, `http://127.0.0.1:${port}`);
    await sleep(2_000); // the gateway knows them all
    await createJobs(gateway, workspaces, LEAD_SECONDS);
    await deliveriesOf(receivers);
    const before = gateway.memory() ?? 0;
    const [processor, begun] = [gateway.processorTime() ?? 0, performance.now()];
    const seconds = options.quick ? SECONDS / 3 : SECONDS;
    const made = await createJobs(gateway, workspaces, seconds);
    const share = ((gateway.processorTime() ?? 0) - processor) / (performance.now() - begun);
    const { delays, documents } = await allDelivered(receivers, made);
    const got = new Set(documents);
    const missing = made.filter((id) => !got.has(id)).length;
    const at = (part: number) => `${delays[Math.floor(delays.length * part)] ?? Number.NaN} ms`;
    log(
      `Webhooks: ${WEBHOOKS}, ${HANGING} of them hanging; ${Math.round(made.length / 0.9 / seconds)} events a second.`,
    );
    log(
      `  delay: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${delays.at(-1)} ms; ${delays.length} messages`,
    );
    log(
      `  missing: ${missing}; doubled: ${documents.length - got.size}; processor: ${Math.round(share * 100)} % of one core`,
    );
    const megabytes = (bytes: number) => Math.round(bytes / MEGABYTE);
    log(`  memory of the gateway: ${megabytes(before)} MB before, ${megabytes(gateway.memory() ?? 0)} MB after`);
  } finally {
    receivers.kill();
    await gateway.stop();
  }
}

/** A workspace for each webhook; the first ones hang. */
async function makeWebhooks(gateway: Running, receivers: string): Promise<string[]> {
  const organization = async (name: string, key: string) =>
    (await ask(gateway, '/v2/organizations', { name, category: 'shipper' }, key)).id;
  const client = await organization('Bench cargo owner', CLIENT);
  const vendor = await organization('Bench inspection company', 'demo-vendor-key');
  const workspaces: string[] = [];
  for (let index = 0; index < WEBHOOKS; index++) {
    const parties = { client: { id: client }, vendor: { id: vendor } };
    const { id } = await ask(gateway, '/workspaces', { description: `Bench ${index}`, parties }, CLIENT);
    const url = `${receivers}/${index < HANGING ? 'hanging' : 'living'}/${index}`;
    await ask(gateway, '/v2/webhooks', { url, workspace: id }, 'demo-admin-key');
    workspaces.push(id);
  }
  return workspaces;
}

/** Creates jobs in all workspaces in turn, at a steady pace; the ids of those whose receivers live. */
async function createJobs(gateway: Running, workspaces: readonly string[], seconds: number): Promise<string[]> {
  const living: string[] = [];
  const running = new Set<Promise<void>>();
  const begun = performance.now();
  for (let count = 0; count < seconds * EVENTS_A_SECOND; count++) {
    const wait = begun + (count * 1_000) / EVENTS_A_SECOND - performance.now();
    if (wait > 1) await sleep(wait);
    const index = count % workspaces.length;
    const body = { type: JOB_TYPE, body: { refNumber: `WB-${count}` } };
    const creation = ask(gateway, `/v2/workspaces/${workspaces[index]}/documents`, body, CLIENT).then(({ id }) => {
      if (index >= HANGING) living.push(id);
    });
    running.add(creation);
    void creation.finally(() => running.delete(creation)).catch(() => undefined);
  }
  await Promise.all(running);
  return living;
}

/** What has come to the living receivers, as soon as it is all of that, or nothing comes any more. */
async function allDelivered(receivers: ChildProcess, wanted: readonly string[]): Promise<Deliveries> {
  const delays: number[] = [];
  const documents: string[] = [];
  const missing = new Set(wanted);
  for (const end = Date.now() + LAST_MS; missing.size > 0 && Date.now() < end; await sleep(200)) {
    const more = await deliveriesOf(receivers);
    delays.push(...more.delays);
    documents.push(...more.documents);
    for (const id of more.documents) missing.delete(id);
  }
  return { delays: delays.sort((a, b) => a - b), documents };
}

async function deliveriesOf(receivers: ChildProcess): Promise<Deliveries> {
  receivers.send('deliveries');
  const [deliveries] = await once(receivers, 'message');
  return deliveries;
}

const CLIENT = 'demo-client-key';

async function ask(gateway: Running, path: string, body: object, key: string): Promise<{ readonly id: string }> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { readonly id: string };
}
