import { hash } from 'node:crypto';
import type { UpdateStatement } from '../batching/write-commands.ts';
import { amountOf } from './amount.ts';
import { type Cell, ROLLED_UP } from './job-cells.ts';
import { ALL_JOBS, type JobFact, type StoredCell, storedAmount } from './job-fact.ts';

export type Unit = 'day' | 'month';

/** The part of a job's fact that is summed. */
type Contribution = Pick<JobFact, 'workspace' | 'readers' | 'created_at' | 'of' | 'cells'>;

/** The sum of one cell over all jobs created in a day or month; `n` is never 0. */
export interface StoredRollup extends StoredCell {
  readonly _id: string;
  readonly workspace: string;
  readonly readers: readonly string[];
  /** `ALL_JOBS`, or the jobs that name a record. */
  readonly of: string;
  readonly unit: Unit;
  readonly start: Date;
}

type Sum = { -readonly [name in 'n' | 'x' | 'y' | 'z']: number } & { a: bigint; b: bigint };

interface Rollup extends Omit<StoredRollup, 'n' | 'x' | 'y' | 'z' | 'a' | 'b'> {
  readonly sum: Sum;
}

const INTEGERS = ['n', 'x', 'y', 'z'] as const;
const AMOUNTS = ['a', 'b'] as const;

/** The start of the UTC day or month that contains a time; `later` adds that many units. */
export function startOf(unit: Unit, time: Date, later = 0): Date {
  const start = new Date(0);
  if (unit === 'day') start.setUTCFullYear(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate() + later);
  else start.setUTCFullYear(time.getUTCFullYear(), time.getUTCMonth() + later, 1);
  return start;
}

/** Sums the contributions of facts to rollups, or the changes to them. */
export class RollupSums {
  /** By workspace, record and period, then by facet and key, so that each id is made only once. */
  readonly #rollups = new Map<string, Map<string, Rollup>>();
  readonly #starts = new Map<number, Starts>();
  readonly #hasPeriod: (unit: Unit, start: Date) => boolean;
  #size = 0;

  /** Sums only those periods for which the function returns true. */
  constructor(hasPeriod: (unit: Unit, start: Date) => boolean = () => true) {
    this.#hasPeriod = hasPeriod;
  }

  /** How many rollups there are, including those with sums of zero. */
  get size(): number {
    return this.#size;
  }

  /** Adds a job's contribution, or subtracts it if `sign` is -1. */
  add(fact: Contribution, sign: 1 | -1): void {
    const { day, month } = this.#startsOf(fact.created_at);
    const cells = fact.cells.filter(({ facet }) => ROLLED_UP.includes(facet));
    for (const of of fact.of) {
      if (of === ALL_JOBS) this.#add(fact, cells, { of, unit: 'day', start: day, sign });
      if (isSummed(of)) this.#add(fact, cells, { of, unit: 'month', start: month, sign });
    }
  }

  /** The resulting sums, without those that are zero. */
  get sums(): readonly Rollup[] {
    return [...this.#rollups.values()].flatMap((some) => [...some.values()].filter(({ sum }) => !isNothing(sum)));
  }

  /** The updates that add the sums to the stored rollups. */
  additions(): UpdateStatement[] {
    return this.sums.map(({ sum, _id, ...identity }) => ({
      ...{ q: { _id }, u: { $inc: stored(sum), $setOnInsert: identity }, upsert: true },
    }));
  }

  /** The ids of rollups that may be empty now. */
  reduced(): string[] {
    return this.sums.flatMap(({ sum, _id }) => (sum.n < 0 ? _id : []));
  }

  /** The rollups themselves, if the sums include all of their facts. */
  whole(): StoredRollup[] {
    return this.sums.map(({ sum, ...identity }) => ({ ...identity, ...stored(sum), n: sum.n }));
  }

  #add(
    fact: Contribution,
    cells: readonly Cell[],
    { of, unit, start, sign }: RollupPlace & { readonly sign: 1 | -1 },
  ): void {
    if (!this.#hasPeriod(unit, start)) return;
    const { workspace, readers } = fact;
    const place = `${start.getTime()} ${unit} ${of.length} ${of}${workspace}`;
    const rollups = this.#rollups.get(place) ?? new Map<string, Rollup>();
    this.#rollups.set(place, rollups);
    for (const cell of cells) {
      const { facet, key } = cell;
      const name = `${facet}\n${key}`;
      let rollup = rollups.get(name);
      if (!rollup) {
        const _id = idOf([workspace, of, unit, start.getTime(), facet, key]);
        rollup = {
          _id,
          workspace,
          readers,
          of,
          unit,
          start,
          facet,
          key,
          sum: { n: 0, x: 0, y: 0, z: 0, a: 0n, b: 0n },
        };
        rollups.set(name, rollup);
        this.#size += 1;
      }
      addTo(rollup.sum, cell, sign);
    }
  }

  /** The starts of the periods that contain a time; cached, as many jobs are of the same day. */
  #startsOf(time: Date): Starts {
    const number = Math.floor(time.getTime() / DAY_MS);
    const known = this.#starts.get(number);
    if (known) return known;
    const starts = { day: startOf('day', time), month: startOf('month', time) };
    this.#starts.set(number, starts);
    return starts;
  }
}

const DAY_MS = 86_400_000;

interface Starts {
  readonly day: Date;
  readonly month: Date;
}

function addTo(sum: Sum, { n, x, y, z, a, b }: Cell, sign: 1 | -1): void {
  sum.n += sign * n;
  if (x !== undefined) sum.x += sign * x;
  if (y !== undefined) sum.y += sign * y;
  if (z !== undefined) sum.z += sign * z;
  if (a !== undefined) sum.a += sign === 1 ? a : -a;
  if (b !== undefined) sum.b += sign === 1 ? b : -b;
}

/** Whether two rollups are equal; missing values are 0. */
export function sameRollup(one: StoredRollup, other: StoredRollup | undefined): boolean {
  if (!other || one.n !== other.n) return false;
  return (
    INTEGERS.every((name) => (one[name] ?? 0) === (other[name] ?? 0)) &&
    AMOUNTS.every((name) => amountOf(String(one[name] ?? 0)) === amountOf(String(other[name] ?? 0)))
  );
}

type RollupPlace = Pick<StoredRollup, 'of' | 'unit' | 'start'>;

/** Whether months are summed by what a job is found under: not by vessels, which are too many with too few jobs each. */
const isSummed = (of: string): boolean => !of.startsWith('vessel ');

const ID_LENGTH = 22;
const idOf = (parts: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, ID_LENGTH);

const isNothing = (sum: Sum): boolean =>
  INTEGERS.every((name) => sum[name] === 0) && AMOUNTS.every((name) => sum[name] === 0n);

const stored = (sum: Sum) => ({
  ...Object.fromEntries(INTEGERS.flatMap((name) => (sum[name] === 0 ? [] : [[name, sum[name]]]))),
  ...Object.fromEntries(AMOUNTS.flatMap((name) => (sum[name] === 0n ? [] : [[name, storedAmount(sum[name])]]))),
});
