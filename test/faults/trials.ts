import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Answer, TestService } from '../service.ts';
import type { Fault, FaultyMongod } from './faulty-mongod.ts';

/** A request that writes. */
export interface Trial {
  send(): Promise<Answer>;
  /** How many times the result is there; takes the answer of the last send. */
  times(answer: Answer): Promise<number>;
}

/** A kind of write, and the commands it runs. */
export interface WriteKind {
  readonly name: string;
  readonly commands: readonly string[];
  /** The collection whose commands fail; omitted for a commit, which has none. */
  readonly collection?: string;
  /** Requests sent at once. */
  trials(): Promise<readonly Trial[]>;
  /** Statuses a retry may get beside 2xx: a request without a key finds what the first one did. */
  readonly repeated?: readonly number[];
}

type NamedFault = Omit<Fault, 'commands' | 'namespace'> & { readonly name: string };

const broken = (times: number): NamedFault => ({ name: `broken ${times}×`, times, data: { closeConnection: true } });

const refused = (errorCode: number): NamedFault => ({ name: String(errorCode), times: 8, data: { errorCode } });

const unacknowledged = (code: number): NamedFault => ({
  name: `w:${code}`,
  times: 8,
  data: { writeConcernError: { code, errmsg: 'waiting for replication failed' } },
});

/**
 * What can go wrong: the connection breaks, the server says it is not or no longer the primary, or the write was
 * applied but not replicated to a majority (64 is `wtimeout`; after 91 the driver retries by itself).
 */
const FAULTS: readonly NamedFault[] = [
  ...[1, 2, 6].map(broken),
  ...[91, 10107, 13435, 11600].map(refused),
  ...[64, 91].map(unacknowledged),
  { name: 'slow', times: 3, data: { blockConnection: true, blockTimeMS: 100 } },
];

interface Outcome {
  readonly fault: string;
  readonly first: string;
  readonly again: string;
}

/**
 * Runs a kind of write under every fault, and again without. The claim: an answer is 2xx only if the write is stored
 * once, else 503 with Retry-After; and the retry is 2xx, with the write stored once.
 */
export async function tryUnderFaults(mongod: FaultyMongod, service: TestService, kind: WriteKind): Promise<Outcome[]> {
  const { commands, collection } = kind;
  const namespace = collection === undefined ? {} : { namespace: `${service.stores.db.databaseName}.${collection}` };
  const outcomes: Outcome[] = [];
  for (const { name, ...fault } of FAULTS) {
    const trials = await kind.trials();
    await mongod.fail({ ...fault, commands, ...namespace });
    const answers = await Promise.all(trials.map((trial) => trial.send()));
    expect(await mongod.heal(), `${kind.name}, ${name}: commands that the fault met`).toBeGreaterThan(0);
    const first = await tally(trials, answers);
    for (const [i, answer] of answers.entries())
      claimAcknowledged(answer, first[i]?.times ?? 0, `${kind.name}, ${name}`);
    const repeats = await Promise.all(trials.map((trial) => trial.send()));
    const again = await tally(trials, repeats);
    for (const { status, times } of again) {
      const isFine = status < 300 || kind.repeated?.includes(status);
      expect([isFine || status, times], `${kind.name}, ${name}: repeated`).toEqual([true, 1]);
    }
    outcomes.push({ fault: name, first: shown(first), again: shown(again) });
  }
  return outcomes;
}

const tally = (trials: readonly Trial[], answers: readonly Answer[]) =>
  Promise.all(
    answers.map(async (answer, i) => ({ status: answer.status, times: (await trials[i]?.times(answer)) ?? 0 })),
  );

function claimAcknowledged({ status, headers, text }: Answer, times: number, where: string): void {
  if (status < 300) {
    expect(times, `${where}: acknowledged with ${status}, and there`).toBe(1);
    return;
  }
  expect([status, text], where).toEqual([503, expect.stringContaining('"code":"UNAVAILABLE"')]);
  expect(headers.get('content-type'), where).toContain('application/problem+json');
  expect(Number(headers.get('retry-after')), where).toBeGreaterThan(0);
  expect([0, 1], `${where}: how often it is there after a 503`).toContain(times);
}

/** The answers and how often each is stored, as `201/1`; the number of requests if there were many. */
function shown(tallied: readonly { status: number; times: number }[]): string {
  const counted = Map.groupBy(tallied, ({ status, times }) => `${status}/${times}`);
  if (tallied.length === 1) return [...counted.keys()].join();
  return [...counted]
    .map(([outcome, all]) => `${all.length}·${outcome}`)
    .sort()
    .join(' ');
}

/** Writes the table kind × fault to `.cache/faults`: answer/how often it is stored, and then the retry's. */
export function writeTable(name: string, rows: ReadonlyMap<string, readonly Outcome[]>): void {
  const folder = join(import.meta.dirname, '..', '..', '.cache', 'faults');
  mkdirSync(folder, { recursive: true });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = [
    line(['kind of write', ...FAULTS.map((fault) => fault.name)]),
    line(['---', ...FAULTS.map(() => '---')]),
    ...[...rows].map(([kind, outcomes]) => line([kind, ...outcomes.map(({ first, again }) => `${first}, ${again}`)])),
  ];
  writeFileSync(join(folder, `${name}.md`), `${lines.join('\n')}\n`);
}
