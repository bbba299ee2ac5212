import { setTimeout as sleep } from 'node:timers/promises';
import { OURS, RIVALS, type Running, startContestant } from '../contestants.ts';
import { settled } from '../load/settle.ts';
import { send } from '../load/warm-up.ts';
import type { BenchOptions } from '../options.ts';
import type { Stage } from '../stage.ts';
import type { BenchRequest } from './operation.ts';
import { post, WRITE_WORKSPACE } from './requests.ts';
import { arrived, subscribe } from './subscriber.ts';

const KEY = 'demo-client-key';
const SUBSCRIBERS = 10;
const WRITES_PER_SECOND = 20;
const WARM_UP_SECONDS = 10;

/** The delay from the start of a write to its event's arrival at a client, in milliseconds. */
export interface Delays {
  readonly contestant: string;
  readonly p50: number;
  readonly p99: number;
}

interface Measured {
  readonly stage: Stage;
  readonly options: BenchOptions;
}

/** Creates jobs at a steady rate while clients are subscribed; every client must get every event. Contestants take turns. */
export async function benchSubscription({ stage, options }: Measured): Promise<Delays[]> {
  const delays: Delays[] = [];
  for (const contestant of [OURS, ...RIVALS.filter(({ name }) => name === 'handwritten')]) {
    const running = await startContestant(contestant, stage.place);
    try {
      delays.push(await delaysOf(running, stage, options.seconds * 2));
    } finally {
      await running.stop();
    }
  }
  return delays;
}

async function delaysOf(contestant: Running, { data }: Stage, seconds: number): Promise<Delays> {
  const { trade, stored } = data;
  const workspace = stored.workspaces[WRITE_WORKSPACE]?._id ?? '';
  const clients = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, () => subscribe(contestant, { workspace, key: KEY })),
  );
  const writes = trade.jobs
    .filter((job) => job.workspace === WRITE_WORKSPACE)
    .map(({ type, body }) => post(`/v2/workspaces/${workspace}/documents`, { type, body }));
  const warm = await writeSteadily(contestant, writes, WARM_UP_SECONDS * WRITES_PER_SECOND);
  await arrived(clients, warm.keys());
  await settled([contestant]); // a gateway that has just started catches up on earlier writes
  const begun = await writeSteadily(contestant, writes, seconds * WRITES_PER_SECOND);
  await arrived(clients, begun.keys());
  const all = clients.flatMap(({ arrivals }) => [...begun].map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at));
  for (const { close } of clients) close();
  all.sort((a, b) => a - b);
  const share = (part: number): number => all[Math.floor(all.length * part)] ?? Number.NaN;
  return { contestant: contestant.name, p50: share(0.5), p99: share(0.99) };
}

/** The start time of each write, by the id of the created job. */
async function writeSteadily(
  { url }: Running,
  writes: readonly BenchRequest[],
  count: number,
): Promise<Map<string, number>> {
  const load = { url, key: KEY, requests: [], connections: 1, seconds: 0, folder: '' };
  const begun = new Map<string, number>();
  const first = performance.now();
  const sent: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, first + (number * 1_000) / WRITES_PER_SECOND - performance.now()));
    const at = performance.now();
    const write = writes[number % writes.length] as BenchRequest;
    sent.push(
      send(load, write).then(({ response, text }) => {
        if (response.status !== 201) throw new Error(`${write.path}: ${response.status} ${text}`);
        begun.set((JSON.parse(text) as { id: string }).id, at);
      }),
    );
  }
  await Promise.all(sent);
  return begun;
}
