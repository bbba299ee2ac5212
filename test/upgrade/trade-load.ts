import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadBalancer, Sent } from './load-balancer.ts';

/** How long a partner waits after a failure. */
const PAUSE_MS = 100;

/** The results of a load. */
export interface TradeLoad {
  /** Requests without the expected response. */
  readonly failures: string[];
  /** The ids of the created jobs. */
  readonly created: string[];
  /** The slowest response, in milliseconds. */
  slowest: number;
  answered: number;
  /** Resolves when the running requests have been answered. */
  stop(): Promise<void>;
}

/** Partners who create, read, change and search for jobs, each with one request after another. */
export function startLoad(balancer: LoadBalancer, workspace: string, partners: number): TradeLoad {
  const running = new AbortController();
  const load: TradeLoad = { failures: [], created: [], slowest: 0, answered: 0, stop };
  const send = async (sent: Sent, status: number): Promise<string> => {
    const started = performance.now();
    const answer = await balancer.send(sent);
    load.slowest = Math.max(load.slowest, performance.now() - started);
    load.answered++;
    if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`);
    return answer.text;
  };
  const partner = async (number: number): Promise<void> => {
    for (let turn = 0; !running.signal.aborted; turn++) {
      try {
        const jobs = `/workspaces/${workspace}/jobs`;
        const refNumber = `UPGRADE-${number}-${turn}`;
        const { id } = JSON.parse(await send({ method: 'POST', path: jobs, body: { refNumber } }, 201));
        load.created.push(id);
        await send({ method: 'GET', path: `${jobs}/${id}` }, 200);
        await send({ method: 'PATCH', path: `${jobs}/${id}`, body: { notes: 'changed' } }, 200);
        await send({ method: 'GET', path: `${jobs}?limit=10&sort=refNumber` }, 200);
        const query = `{ jobs(first: 1, where: { refNumber: { contains: "${refNumber}" } }) { nodes { id } } }`;
        const found = await send({ method: 'POST', path: '/graphql', body: { query } }, 200);
        if (found.includes('"errors"')) throw new Error(found);
      } catch (error) {
        load.failures.push(`${error}${error instanceof Error && error.cause ? ` ${error.cause}` : ''}`);
        await sleep(PAUSE_MS); // when no gateway is ready, others must make progress
      }
    }
  };
  const partnersAtWork = Array.from({ length: partners }, (_, number) => partner(number));
  async function stop(): Promise<void> {
    running.abort();
    await Promise.all(partnersAtWork);
  }
  return load;
}
