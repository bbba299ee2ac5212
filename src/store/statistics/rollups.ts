import { hash } from 'node:crypto';
import { amountOf } from './amount.ts';
import { type Cell, ROLLED_UP } from './job-cells.ts';
import { ALL_JOBS, decimalOf, type JobFact, type StoredCell } from './job-fact.ts';
import type { UpdateStatement } from './write-commands.ts';

export type Unit = 'day' | 'month';

/** The sum of the same cell of all jobs that were created in a day or month; `n` is never 0. */
export interface StoredRollup extends StoredCell {
  readonly _id: string;
  readonly workspace: string;
  readonly readers: readonly string[];
  /** `ALL_JOBS`, or those that name a record. */
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

/** The start of the UTC day or month that a time is in; `later` counts on. */
export function startOf(unit: Unit, time: Date, later = 0): Date {
  const start = new Date(0);
  if (unit === 'day') start.setUTCFullYear(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate() + later);
  else start.setUTCFullYear(time.getUTCFullYear(), time.getUTCMonth() + later, 1);
  return start;
}

/** Sums up what facts add to rollups, or what changes in them. */
export class RollupSums {
  /** By what their ids are made of: each id is made once. */
  readonly #rollups = new Map<string, Rollup>();

  /** Adds what a job adds, or with -1 takes it away. */
  add(fact: JobFact, sign: 1 | -1): void {
    const [day, month] = [startOf('day', fact.created_at), startOf('month', fact.created_at)];
    for (const cell of fact.cells.filter(({ facet }) => ROLLED_UP.includes(facet))) {
      this.#add(fact, cell, { of: ALL_JOBS, unit: 'day', start: day, sign });
      for (const of of [ALL_JOBS, ...recordsOf(fact)]) this.#add(fact, cell, { of, unit: 'month', start: month, sign });
    }
  }

  /** What is left of each: those that come to nothing are left out. */
  get sums(): readonly Rollup[] {
    return [...this.#rollups.values()].filter(({ sum }) => !isNothing(sum));
  }

  /** Adds them to the rollups that are stored. */
  additions(): UpdateStatement[] {
    return this.sums.map(({ sum, _id, ...identity }) => ({
      ...{ q: { _id }, u: { $inc: stored(sum), $setOnInsert: identity }, upsert: true },
    }));
  }

  /** Those that may be empty now. */
  reduced(): string[] {
    return this.sums.flatMap(({ sum, _id }) => (sum.n < 0 ? _id : []));
  }

  /** The rollups themselves, where the sums are of all their facts. */
  whole(): StoredRollup[] {
    return this.sums.map(({ sum, ...identity }) => ({ ...identity, ...stored(sum), n: sum.n }));
  }

  #add(fact: JobFact, cell: Cell, { of, unit, start, sign }: RollupPlace & { readonly sign: 1 | -1 }): void {
    const { workspace, readers } = fact;
    const { facet, key } = cell;
    const place = `${start.getTime()} ${unit} ${workspace}\n${facet}\n${of.length} ${of}${key}`;
    let rollup = this.#rollups.get(place);
    if (!rollup) {
      const _id = idOf([workspace, of, unit, start.getTime(), facet, key]);
      const sum = { n: 0, x: 0, y: 0, z: 0, a: 0n, b: 0n };
      rollup = { _id, workspace, readers, of, unit, start, facet, key, sum };
      this.#rollups.set(place, rollup);
    }
    for (const name of INTEGERS) rollup.sum[name] += sign * (cell[name] ?? 0);
    for (const name of AMOUNTS) rollup.sum[name] += BigInt(sign) * (cell[name] ?? 0n);
  }
}

/** Whether two rollups say the same: what is not there is 0. */
export function sameRollup(one: StoredRollup, other: StoredRollup | undefined): boolean {
  if (!other || one.n !== other.n) return false;
  return (
    INTEGERS.every((name) => (one[name] ?? 0) === (other[name] ?? 0)) &&
    AMOUNTS.every((name) => amountOf(String(one[name] ?? 0)) === amountOf(String(other[name] ?? 0)))
  );
}

interface RollupPlace {
  readonly of: string;
  readonly unit: Unit;
  readonly start: Date;
}

/** The records that months are summed by: not by vessels, of which there are too many with too few jobs. */
const recordsOf = ({ of }: JobFact): readonly string[] =>
  of.filter((one) => one !== ALL_JOBS && !one.startsWith('vessel '));

const ID_LENGTH = 22;
const idOf = (parts: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, ID_LENGTH);

const isNothing = (sum: Sum): boolean =>
  INTEGERS.every((name) => sum[name] === 0) && AMOUNTS.every((name) => sum[name] === 0n);

const stored = (sum: Sum) => ({
  ...Object.fromEntries(INTEGERS.flatMap((name) => (sum[name] === 0 ? [] : [[name, sum[name]]]))),
  ...Object.fromEntries(AMOUNTS.flatMap((name) => (sum[name] === 0n ? [] : [[name, decimalOf(sum[name])]]))),
});
