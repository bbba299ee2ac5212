// npm run bench -- --only subscriptions: the memory used by a thousand clients that wait for events.
import { v7 as newId } from 'uuid';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { MAX_STREAMS } from '../../src/domain/events/open-streams.ts';
import { OURS, startContestant } from '../contestants.ts';
import { memoryAtRest } from '../load/rest.ts';
import { send } from '../load/warm-up.ts';
import type { Measurement } from '../measurement.ts';
import { post, WRITE_WORKSPACE } from '../rows/requests.ts';
import { arrived, type Client, subscribe } from '../rows/subscriber.ts';
import type { Stage } from '../stage.ts';

const CLIENTS = 1_000;
/** The number of clients that connect at the same time. */
const AT_ONCE = 50;
const MEGABYTE = 1024 * 1024;

/** Measures the gateway at rest, before and after all clients subscribe; then each must get the event of one write. */
export async function benchSubscriptions({ stage, log }: Measurement): Promise<void> {
  const { trade, stored } = stage.data;
  const workspace = stored.workspaces[WRITE_WORKSPACE]?._id ?? '';
  const key = await putKey(stage);
  const keys = await Promise.all(Array.from({ length: CLIENTS / MAX_STREAMS }, () => putKey(stage)));
  const gateway = await startContestant(OURS, stage.place);
  const clients: Client[] = [];
  try {
    const atRest = async (): Promise<number> =>
      ((await memoryAtRest([gateway]))[gateway.name] ?? Number.NaN) / MEGABYTE;
    clients.push(await subscribe(gateway, { workspace, key })); // code compiled for the first client is not counted
    const before = await atRest();
    while (clients.length <= CLIENTS) {
      const next = Array.from({ length: AT_ONCE }, (_, index) => keys[index % keys.length] ?? '');
      clients.push(...(await Promise.all(next.map((one) => subscribe(gateway, { workspace, key: one })))));
    }
    const opened = (gateway.memory() ?? Number.NaN) / MEGABYTE;
    const after = await atRest();
    log(
      `Memory of the gateway at rest: ${before.toFixed(0)} MB, with ${CLIENTS} idle subscriptions ${after.toFixed(0)} MB ` +
        `(${(after - before).toFixed(0)} MB more; ${opened.toFixed(0)} MB when the last one had just connected).`,
    );
    const job = trade.jobs.find((one) => one.workspace === WRITE_WORKSPACE);
    const write = post(`/v2/workspaces/${workspace}/documents`, { type: job?.type, body: job?.body });
    const load = { url: gateway.url, key, requests: [], connections: 1, seconds: 0, folder: '' };
    const { text } = await send(load, write);
    const begun = performance.now();
    await arrived(clients, [(JSON.parse(text) as { id: string }).id]);
    log(`All of them had the event of a write ${(performance.now() - begun).toFixed(0)} ms after it.`);
  } finally {
    for (const { close } of clients) close();
    await gateway.stop();
  }
}

/** Stores a key of a new principal, because the number of streams per principal is limited. */
async function putKey({ stores }: Stage): Promise<string> {
  const [id, key] = [newId(), newId()];
  await stores.principals.putKey({
    ...{ _id: id, kind: 'key', hash: hashSecret(key), tenant: DEMO_TENANTS.client, name: `subscriber ${id}` },
    ...{ scopes: ['read', 'write'], created_at: new Date() },
  });
  return key;
}
