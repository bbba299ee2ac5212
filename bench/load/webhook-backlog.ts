// npm run bench -- --only backlog: the memory of a gateway whose webhook is a million events behind.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { NewEvent } from '../../src/store/events/event-log.ts';
import { connectStores } from '../../src/store/stores.ts';
import { OURS, type Place, type Running, startContestant } from '../contestants.ts';
import type { BenchOptions } from '../options.ts';
import type { Stage } from '../stage.ts';
import type { Deliveries } from './webhook-receivers.ts';

const EVENTS = 1_000_000;
const QUICK_EVENTS = 200_000;
const DOCUMENTS = 50_000;
const BATCH = 5_000;
const SECONDS = 120;
const KEPT_MS = 24 * 3_600_000;
const MEGABYTE = 1024 * 1024;

interface BacklogBench {
  readonly stage: Stage;
  readonly options: BenchOptions;
  readonly log: (line: string) => void;
}

/** Measures the memory of the gateway while a webhook begins a backlog, and how fast it catches up. */
export async function benchBacklog({ stage, options, log }: BacklogBench): Promise<void> {
  const events = options.quick ? QUICK_EVENTS : EVENTS;
  await writeEvents(stage.place, events);
  const gateway = await startContestant(OURS, stage.place);
  const receivers = fork(join(import.meta.dirname, 'webhook-receivers.ts'));
  try {
    const [port] = await once(receivers, 'message');
    await sleep(5_000); // it has done what it does at a start
    const idle = gateway.memory() ?? 0;
    const living = await makeWebhook(gateway, `http://127.0.0.1:${port}/living`);
    const hanging = await makeWebhook(gateway, `http://127.0.0.1:${port}/hanging`);
    for (const id of [living, hanging]) await ask(gateway, `/v2/webhooks/${id}/replay`, { after: '0' });
    const sizes: number[] = [];
    let messages = 0;
    for (let second = 0; second < SECONDS; second++) {
      await sleep(1_000);
      sizes.push(gateway.memory() ?? 0);
      messages += (await deliveriesOf(receivers)).documents.length;
    }
    const megabytes = (bytes: number) => Math.round(bytes / MEGABYTE);
    const size = (part: number) => `${megabytes(sizes[Math.floor((sizes.length - 1) * part)] ?? 0)} MB`;
    log(`Webhooks: ${events} events behind, one receiver that lives and one that hangs.`);
    log(`  messages: ${Math.round(messages / SECONDS)} a second, ${messages} in ${SECONDS} s`);
    log(
      `  memory of the gateway: ${megabytes(idle)} MB before; then ${size(0.25)}, ${size(0.5)}, ${size(1)}; at most ${megabytes(Math.max(...sizes))} MB`,
    );
  } finally {
    receivers.kill();
    await gateway.stop();
  }
}

/** Writes changes of jobs to the log, as the gateway that records does. */
async function writeEvents(place: Place, count: number): Promise<void> {
  const stores = await connectStores(place);
  const documents = Array.from({ length: DOCUMENTS }, () => newId());
  const eventOf = (index: number): NewEvent => {
    const [document = '', version] = [documents[index % DOCUMENTS], newId()];
    return {
      _id: `${document} ${version}`,
      kind: index < DOCUMENTS ? 'created' : 'changed',
      document,
      type: JOB_TYPE,
      workspace: DEMO_TENANTS.client,
      readers: [DEMO_TENANTS.client],
      version,
      by: DEMO_TENANTS.client,
      at: new Date(),
      references: { refNumber: `BACKLOG-${index % DOCUMENTS}` },
    };
  };
  for (let after = 0; after < count; ) {
    const batch = Array.from({ length: BATCH }, (_, index) => eventOf(after + index));
    after = await stores.events.write(batch, { after, keptMs: KEPT_MS });
  }
  await stores.close();
}

async function makeWebhook(gateway: Running, url: string): Promise<string> {
  return (await ask(gateway, '/v2/webhooks', { url })).id;
}

async function deliveriesOf(receivers: ChildProcess): Promise<Deliveries> {
  receivers.send('deliveries');
  const [deliveries] = await once(receivers, 'message');
  return deliveries;
}

async function ask(gateway: Running, path: string, body: object): Promise<{ readonly id: string }> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { Authorization: 'Bearer demo-admin-key', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { readonly id: string };
}
