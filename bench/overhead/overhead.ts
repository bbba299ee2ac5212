// npm run bench -- --only overhead: what measuring, tracing and counting cost, in processor time of the same service without them.
import { OURS, type Running, startContestant } from '../contestants.ts';
import type { Load } from '../load/load.ts';
import { sendFor } from '../load/send-for.ts';
import { OPERATIONS } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import type { Stage } from '../stage.ts';
import { intervalOf } from './interval.ts';

/** A service with something switched on. */
interface Variant {
  readonly name: string;
  readonly title: string;
  readonly settings: Readonly<Record<string, string>>;
}

const NOTHING = { METRICS_PORT: '0', SLOW_MS: '0', RATE_LIMIT_PER_MINUTE: '0' };

/** What the others are compared with: as much switched off as an operator can. */
const PLAIN: Variant = { name: 'plain', title: 'no metrics, no slow log, no limit, no quota', settings: NOTHING };

const VARIANTS: readonly Variant[] = [
  PLAIN,
  { name: 'again', title: 'the same once more: how exact this is', settings: NOTHING },
  { name: 'metrics', title: 'metrics and slow log', settings: { ...NOTHING, METRICS_PORT: '19464', SLOW_MS: '1000' } },
  {
    name: 'counting',
    title: 'rate limit and quotas',
    settings: {
      ...NOTHING,
      RATE_LIMIT_PER_MINUTE: '10000000',
      MAX_TENANT_DOCUMENTS: '1000000000',
      MAX_TENANT_WORKSPACES: '1000000000',
      MAX_TENANT_FILE_BYTES: '1000000000000',
    },
  },
];

const MEASURED = ['read', 'nested', 'create'];
/** Services are started anew, because two processes of one program differ by some percent for as long as they live. */
const STARTS = 3;
const CONNECTIONS = 16;
const WARM_UP_MS = 2_500;
const ROUND_MS = 400;

interface Overhead {
  readonly stage: Stage;
  readonly options: BenchOptions;
  readonly log: (line: string) => void;
}

/** By operation and variant, the processor time of a request as a multiple of the plain service's, one a round. */
type Ratios = Map<string, number[]>;

/** Measures short rounds in turn, and compares those of the same moment. */
export async function benchOverhead({ stage, options, log }: Overhead): Promise<void> {
  const rounds = options.quick ? 4 : 12;
  const ratios: Ratios = new Map();
  const keeper = await startContestant({ ...OURS, name: 'keeper', settings: { METRICS_PORT: '0' } }, stage.place); // has the leases: events and statistics are its work
  try {
    for (let start = 0; start < (options.quick ? 1 : STARTS); start++) {
      await compareOnce({ stage, rounds, ratios });
      log(`${(start + 1) * rounds} rounds of ${ROUND_MS} ms each are done.`);
    }
  } finally {
    await keeper.stop();
  }
  log(
    `\nProcessor time per request, compared with: ${PLAIN.title}. Median of rounds, and 95 % of resampled medians.\n`,
  );
  for (const { name, title } of VARIANTS.slice(1)) {
    for (const operation of MEASURED) {
      const { median, low, high } = intervalOf(ratios.get(`${operation} ${name}`) ?? []);
      log(`${operation.padEnd(8)} ${percent(median)}   ${percent(low)} to ${percent(high)}   ${title}`);
    }
  }
}

async function compareOnce({ stage, rounds, ratios }: { stage: Stage; rounds: number; ratios: Ratios }): Promise<void> {
  const services: Service[] = [];
  try {
    for (const variant of VARIANTS) {
      const { name, settings } = variant;
      services.push({ variant, running: await startContestant({ ...OURS, name, settings }, stage.place) });
    }
    for (const operation of OPERATIONS.filter(({ name }) => MEASURED.includes(name))) {
      const { data, stores } = stage;
      const requests = await operation.requests({ ...data, stores, url: services[0]?.running.url ?? '' });
      const loadOf = ({ running }: Service): Load => ({
        ...{ url: running.url, key: 'demo-client-key', requests, connections: CONNECTIONS },
        ...{ seconds: ROUND_MS / 1_000, folder: stage.place.folder },
      });
      for (const service of services) await sendFor(loadOf(service), WARM_UP_MS);
      for (let round = 0; round < rounds; round++) {
        const used = new Map<string, number>();
        const first = round % services.length; // each is measured in each place: what runs before the first is not the same
        const order = [...services.slice(first), ...services.slice(0, first)];
        for (const service of order)
          used.set(service.variant.name, await processorTimeOf(service.running, loadOf(service)));
        for (const [name, time] of used) {
          const key = `${operation.name} ${name}`;
          ratios.set(key, [...(ratios.get(key) ?? []), time / (used.get(PLAIN.name) ?? Number.NaN)]);
        }
      }
    }
  } finally {
    await Promise.all(services.map(({ running }) => running.stop()));
  }
}

interface Service {
  readonly variant: Variant;
  readonly running: Running;
}

/** What a request costs a service, in milliseconds. */
async function processorTimeOf(running: Running, load: Load): Promise<number> {
  const before = running.processorTime() ?? Number.NaN;
  const answers = await sendFor(load, ROUND_MS);
  return ((running.processorTime() ?? Number.NaN) - before) / answers;
}

const percent = (ratio: number): string => `${ratio < 1 ? '' : '+'}${((ratio - 1) * 100).toFixed(1)} %`.padStart(8);
