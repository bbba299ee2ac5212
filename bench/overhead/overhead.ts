// npm run bench -- --only overhead: the CPU cost of measuring, tracing, counting and auditing, relative to the same service without them.
import { v7 as newId } from 'uuid';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import type { Measurement } from '../measurement.ts';
import { OPERATIONS } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import type { Stage } from '../stage.ts';
import { costOf, intervalOf } from './interval.ts';
import { differenceOf, type Round } from './paired-rounds.ts';
import { Services } from './services.ts';
import { Slices } from './slices.ts';
import { PLAIN, PLANTED, type Variant, variantsOf } from './variants.ts';

/** Enough that none reaches its rate limit. */
const PRINCIPALS = 20;
const WARM_UP_ROUNDS = 15;
const QUICK_ROUNDS = 10;

/** Measures short slices of requests in turn, all in one process, and compares the slices of the same round. */
export async function benchOverhead({ stage, options, log }: Measurement): Promise<void> {
  const keys = await putKeys(stage);
  const services = await Services.start(stage.place);
  try {
    for (const operation of OPERATIONS.filter(({ name }) => options.of.includes(name))) {
      const variants = variantsOf(operation.name);
      const names = [PLAIN, ...variants].map(({ name }) => name);
      const slices = new Slices({ stage, services, keys, operation, variants: names });
      try {
        const { rounds, microseconds } = await measured(slices, services, options);
        log(`\n${operation.title}: ${microseconds.toFixed(0)} µs of processor time; ${rounds.length} rounds`);
        for (const variant of variants) log(lineOf(variant, rounds));
      } finally {
        slices.close();
      }
    }
  } finally {
    await services.stop();
  }
}

interface Measured {
  readonly rounds: readonly Round[];
  /** The CPU time of a request to the plain service. */
  readonly microseconds: number;
}

async function measured(slices: Slices, services: Services, { quick, rounds }: BenchOptions): Promise<Measured> {
  const done: Round[] = [];
  const microseconds = (): number => intervalOf(done.map((round) => round.get(PLAIN.name) ?? Number.NaN)).median;
  for (let round = 0; round < (quick ? QUICK_ROUNDS : WARM_UP_ROUNDS); round++) done.push(await slices.round());
  done.splice(0, done.length - QUICK_ROUNDS);
  await services.ask({ do: 'plant', microseconds: microseconds() * PLANTED });
  done.splice(0);
  while (done.length < (quick ? QUICK_ROUNDS : rounds)) done.push(await slices.round());
  return { rounds: done, microseconds: microseconds() };
}

function lineOf({ name, title, lacks }: Variant, rounds: readonly Round[]): string {
  const difference = differenceOf(rounds, { variant: name, plain: PLAIN.name });
  const { median, low, high } = lacks ? costOf(difference) : difference;
  return `${percent(median)}   ${percent(low)} to ${percent(high)}   ${title}`;
}

const percent = (share: number): string => `${share < 0 ? '' : '+'}${(share * 100).toFixed(1)} %`.padStart(8);

/** Stores keys of the demo's client, enough that none reaches its rate limit. */
async function putKeys({ stores }: Stage): Promise<string[]> {
  const keys = Array.from({ length: PRINCIPALS }, () => `bench-${newId()}`);
  for (const key of keys) {
    await stores.principals.putKey({
      ...{ _id: newId(), kind: 'key', hash: hashSecret(key), tenant: DEMO_TENANTS.client, name: 'bench', demo: true },
      ...{ scopes: ['read', 'write'], created_at: new Date() },
    });
  }
  return keys;
}
