import { parseArgs } from 'node:util';
import { OPERATIONS } from './operations.ts';

/** The options of one run. */
export interface BenchOptions {
  readonly quick: boolean;
  /** The jobs in the database. */
  readonly jobs: number;
  readonly rounds: number;
  /** The time for which each contestant is measured in each round. */
  readonly seconds: number;
  readonly connections: number;
  /** How long each contestant is warmed up before its first round, in milliseconds. */
  readonly warmUp: number;
  /** Names of operations. */
  readonly only: readonly string[];
  /** Names of the operations whose overhead is measured. */
  readonly of: readonly string[];
  readonly json: string | undefined;
  /** Prints the table as Markdown, for docs/performance.md. */
  readonly markdown: boolean;
  /** A folder for CPU profiles of this service; instead of comparing, each operation is profiled. */
  readonly profile: string | undefined;
  /** A file for the plot of the scale. */
  readonly plot: string | undefined;
  /** A folder for the databases of the scale, which are filled once and reused. */
  readonly keep: string | undefined;
  /** The number of jobs in each database of the scale, if not derived from `jobs`. */
  readonly sizes: readonly number[] | undefined;
  /** Only fills the databases of the scale. */
  readonly fill: boolean;
}

/** Measured separately: how long after a write its event reaches a subscribed client. */
export const SUBSCRIPTION = 'subscription';
/** Measured separately, and only on request: it moves gigabytes. */
export const FILES = 'files';
/** Likewise: it fills the database with ports. */
export const REFERENCE = 'reference';
/** Likewise: one long list of results, measured per item. */
export const RESULTS = 'results';
/** Likewise: deliveries to a hundred webhooks, which take a minute. */
export const WEBHOOKS = 'webhooks';
/** Likewise: a webhook that is a million events behind. */
export const BACKLOG = 'backlog';
/** Likewise: the memory of a thousand idle subscriptions. */
export const SUBSCRIPTIONS = 'subscriptions';
/** Likewise: two gateways on one database, compared with one. */
export const GATEWAYS = 'gateways';
/** Likewise: the cost of metrics, counting and auditing, in slices of some milliseconds. */
export const OVERHEAD = 'overhead';
/** Likewise: the same queries over growing numbers of jobs, each size in its own database. */
export const SCALE = 'scale';
/** Measured only when named on the command line. */
const ON_REQUEST = [FILES, REFERENCE, RESULTS, WEBHOOKS, BACKLOG, SUBSCRIPTIONS, GATEWAYS, OVERHEAD, SCALE];
/** The operations whose overhead is measured. */
const OVERHEAD_OF: readonly string[] = ['read', 'list', 'nested', 'create', 'delete'];

export const USAGE = `npm run bench -- [--quick] [--only read,list] [--rounds N] [--seconds N] [--connections N] [--jobs N]
                 [--markdown] [--json FILE] [--profile FOLDER]
                 --only names what is measured: an operation of the table in docs/performance.md, ${SUBSCRIPTION},
                 or one of ${ON_REQUEST.join(', ')}, which are measured only when they are named
                 overhead alone: [--of read,create]
                 scale alone: [--sizes N,N] [--keep FOLDER] [--fill] [--plot FILE]`;

/** Parses the command line; throws an Error that explains what is wrong with it. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      of: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      jobs: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'boolean', default: false },
      profile: { type: 'string' },
      plot: { type: 'string' },
      keep: { type: 'string' },
      sizes: { type: 'string' },
      fill: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  const known = OPERATIONS.map(({ name }) => name);
  const only = values.only?.split(',') ?? [...known, SUBSCRIPTION];
  const all = [...known, SUBSCRIPTION, ...ON_REQUEST];
  const of = values.of?.split(',') ?? OVERHEAD_OF;
  const unmeasured = of.filter((name) => !OVERHEAD_OF.includes(name));
  if (unmeasured.length > 0) throw new Error(`--of ${unmeasured.join(',')}: there are ${OVERHEAD_OF.join(', ')}.`);
  const unknown = only.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`--only ${unknown.join(',')}: there are ${all.join(', ')}.`);
  return {
    quick,
    only,
    of,
    jobs: whole('jobs', values.jobs, quick ? 5_000 : 20_000),
    rounds: whole('rounds', values.rounds, only.includes(OVERHEAD) ? 100 : 3),
    seconds: whole('seconds', values.seconds, quick ? 1 : 5),
    connections: whole('connections', values.connections, 32),
    warmUp: quick ? 400 : 2_000,
    json: values.json,
    markdown: values.markdown,
    profile: values.profile,
    plot: values.plot,
    keep: values.keep,
    sizes: values.sizes?.split(',').map((size) => whole('sizes', size, 0)),
    fill: values.fill,
  };
}

function whole(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Error(`--${name}=${text}: it must be a whole number from 1.`);
}
