// npm run bench -- --only webhooks: the delay from a change to its message, with hanging receivers beside living ones.
import { setTimeout as sleep } from 'node:timers/promises';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { Measurement } from '../measurement.ts';
import { GatewayWithReceivers, KEYS, megabytes } from './gateway-with-receivers.ts';
import type { Deliveries } from './receivers-process.ts';

const WEBHOOKS = 100;
const HANGING = 10;
const EVENTS_A_SECOND = 200;
/** The duration of the first request to a hanging receiver. */
const LEAD_SECONDS = 20;
const SECONDS = 30;
/** The time limit for messages in flight when the creations end. */
const LAST_MS = 10_000;

/** Measures the delay of messages to 90 living receivers beside 10 that hang. */
export async function benchWebhooks({ stage, options, log }: Measurement): Promise<void> {
  const service = await GatewayWithReceivers.start(stage.place, { WEBHOOK_MAX_PER_TENANT: '1000' });
  const { gateway } = service;
  try {
    const workspaces = await makeWebhooks(service);
    await sleep(2_000); // until the gateway knows them all
    await createJobs(service, workspaces, LEAD_SECONDS);
    await service.deliveries();
    const before = gateway.memory() ?? 0;
    const [processor, begun] = [gateway.processorTime() ?? 0, performance.now()];
    const seconds = options.quick ? SECONDS / 3 : SECONDS;
    const made = await createJobs(service, workspaces, seconds);
    const share = ((gateway.processorTime() ?? 0) - processor) / (performance.now() - begun);
    const { delays, documents } = await allDelivered(service, made);
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
    log(`  memory of the gateway: ${megabytes(before)} MB before, ${megabytes(gateway.memory() ?? 0)} MB after`);
  } finally {
    await service.stop();
  }
}

/** Creates a workspace for each webhook; the receivers of the first ones hang. */
async function makeWebhooks(service: GatewayWithReceivers): Promise<string[]> {
  const organization = (name: string, key: string) =>
    service.post('/v2/organizations', { name, category: 'shipper' }, key);
  const client = await organization('Bench cargo owner', KEYS.client);
  const vendor = await organization('Bench inspection company', KEYS.vendor);
  const workspaces: string[] = [];
  for (let index = 0; index < WEBHOOKS; index++) {
    const parties = { client: { id: client }, vendor: { id: vendor } };
    const id = await service.post('/workspaces', { description: `Bench ${index}`, parties }, KEYS.client);
    const url = `${service.receiversUrl}/${index < HANGING ? 'hanging' : 'living'}/${index}`;
    await service.post('/v2/webhooks', { url, workspace: id }, KEYS.admin);
    workspaces.push(id);
  }
  return workspaces;
}

/** Creates jobs in all workspaces in turn, at a steady rate; returns the ids of those with living receivers. */
async function createJobs(
  service: GatewayWithReceivers,
  workspaces: readonly string[],
  seconds: number,
): Promise<string[]> {
  const living: string[] = [];
  const running = new Set<Promise<void>>();
  const begun = performance.now();
  for (let count = 0; count < seconds * EVENTS_A_SECOND; count++) {
    const wait = begun + (count * 1_000) / EVENTS_A_SECOND - performance.now();
    if (wait > 1) await sleep(wait);
    const index = count % workspaces.length;
    const body = { type: JOB_TYPE, body: { refNumber: `WB-${count}` } };
    const creation = service.post(`/v2/workspaces/${workspaces[index]}/documents`, body, KEYS.client).then((id) => {
      if (index >= HANGING) living.push(id);
    });
    running.add(creation);
    void creation.finally(() => running.delete(creation)).catch(() => undefined);
  }
  await Promise.all(running);
  return living;
}

/** The deliveries to the living receivers, once all wanted ones have arrived or the time limit has passed. */
async function allDelivered(service: GatewayWithReceivers, wanted: readonly string[]): Promise<Deliveries> {
  const delays: number[] = [];
  const documents: string[] = [];
  const missing = new Set(wanted);
  for (const end = performance.now() + LAST_MS; missing.size > 0 && performance.now() < end; await sleep(200)) {
    const more = await service.deliveries();
    delays.push(...more.delays);
    documents.push(...more.documents);
    for (const id of more.documents) missing.delete(id);
  }
  return { delays: delays.sort((a, b) => a - b), documents };
}
