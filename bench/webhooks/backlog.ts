// npm run bench -- --only backlog: the memory of a gateway whose webhook is a million events behind.
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { NewEvent } from '../../src/store/events/event-log.ts';
import { connectStores } from '../../src/store/stores.ts';
import type { Place } from '../contestants.ts';
import type { Measurement } from '../measurement.ts';
import { GatewayWithReceivers, KEYS, megabytes } from './gateway-with-receivers.ts';

const EVENTS = 1_000_000;
const QUICK_EVENTS = 200_000;
const DOCUMENTS = 50_000;
const BATCH = 5_000;
const SECONDS = 120;
const KEPT_MS = 24 * 3_600_000;

/** Measures the memory of the gateway while webhooks work off a backlog, and how fast they catch up. */
export async function benchBacklog({ stage, options, log }: Measurement): Promise<void> {
  const events = options.quick ? QUICK_EVENTS : EVENTS;
  await writeEvents(stage.place, events);
  const service = await GatewayWithReceivers.start(stage.place);
  const { gateway, receiversUrl } = service;
  try {
    await sleep(5_000); // until the gateway has finished its startup work
    const idle = gateway.memory() ?? 0;
    for (const kind of ['living', 'hanging']) {
      const id = await service.post('/v2/webhooks', { url: `${receiversUrl}/${kind}` }, KEYS.admin);
      await service.post(`/v2/webhooks/${id}/replay`, { after: '0' }, KEYS.admin);
    }
    const sizes: number[] = [];
    let messages = 0;
    for (let second = 0; second < SECONDS; second++) {
      await sleep(1_000);
      sizes.push(gateway.memory() ?? 0);
      messages += (await service.deliveries()).documents.length;
    }
    const size = (part: number) => `${megabytes(sizes[Math.floor((sizes.length - 1) * part)] ?? 0)} MB`;
    log(`Webhooks: ${events} events behind, one receiver that lives and one that hangs.`);
    log(`  messages: ${Math.round(messages / SECONDS)} a second, ${messages} in ${SECONDS} s`);
    log(
      `  memory of the gateway: ${megabytes(idle)} MB before; then ${size(0.25)}, ${size(0.5)}, ${size(1)}; at most ${megabytes(Math.max(...sizes))} MB`,
    );
  } finally {
    await service.stop();
  }
}

/** Writes changes of jobs to the log, like the recording gateway. */
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
