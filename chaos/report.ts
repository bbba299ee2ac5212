import type { Finding } from './checks/evidence.ts';
import { killsIn } from './faults.ts';
import { type Attempt, type Intent, isAcknowledged } from './ledger.ts';
import { ELECTION_MS } from './processes/replica-set.ts';

/** How long nobody may be answered: the election and five seconds. */
const LONGEST_SILENCE_MS = ELECTION_MS + 5_000;

/** How long a repeat waits for a try that is still running under its Idempotency-Key. */
const KEY_WAIT_MS = 10_000;

/** How long one write may take that the majority does not acknowledge (contract §12). */
const WRITE_MS = 3_500;

/**
 * How long one request may go without an answer: a repeat waits for a try that is still running, may meet an election in
 * its work, and a write that is not acknowledged at its end.
 */
const LONGEST_REQUEST_MS = KEY_WAIT_MS + LONGEST_SILENCE_MS + WRITE_MS;

/** Everything that a run came to. */
export interface Report {
  readonly seed: number;
  readonly mongodb: string;
  /** How long the faults lasted. */
  readonly seconds: number;
  readonly kills: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly crashes: number;
  readonly intents: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly retries: number;
  /** Answers and broken connections, by what was asked for. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly codes: Readonly<Record<string, number>>;
  /** The longest times in which nobody was answered at all, or with success. */
  readonly longestWithoutAnswerMs: number;
  readonly longestWithoutSuccessMs: number;
  /** The longest time that one request took to be answered, or to come to nothing. */
  readonly slowestRequestMs: number;
  readonly subscriptions: { readonly streams: number; readonly events: number };
  /** Messages that receivers of webhooks took, and how many of them came again under the same id. */
  readonly deliveries: { readonly messages: number; readonly doubled: number };
  readonly lost: number;
  readonly doubled: number;
  readonly wrong: number;
  readonly findings: Readonly<Record<string, readonly string[]>>;
}

/** What the figures are made of. */
interface Outcome {
  readonly seed: number;
  readonly mongodb: string;
  readonly intents: readonly Intent[];
  readonly faults: ReadonlyMap<string, number>;
  readonly crashes: number;
  /** When the faults began and ended, in the ledger's milliseconds. */
  readonly began: number;
  readonly ended: number;
  readonly subscriptions: Report['subscriptions'];
  readonly deliveries: Report['deliveries'];
  readonly findings: Readonly<Record<string, readonly Finding[]>>;
}

/** Counts what happened. */
export function reportOf(outcome: Outcome): Report {
  const { seed, mongodb, intents, faults, crashes, began, ended, subscriptions, deliveries, findings } = outcome;
  const all = Object.values(findings).flat();
  const count = (kind: Finding['kind']): number => all.filter((finding) => finding.kind === kind).length;
  const attempts = intents.flatMap((intent) => intent.attempts);
  const answered = attempts.filter(({ outcome: status }) => typeof status === 'number');
  const acknowledged = intents.filter(isAcknowledged).length;
  const unanswered = intents.filter(({ answer }) => answer === undefined).length;
  const successes = answered.filter(({ outcome: status }) => Number(status) < 300);
  return {
    seed,
    mongodb,
    seconds: Math.round((ended - began) / 1_000),
    kills: killsIn(faults),
    faults: Object.fromEntries(faults),
    crashes,
    intents: intents.length,
    acknowledged,
    refused: intents.length - acknowledged - unanswered,
    unanswered,
    retries: attempts.length - intents.filter((intent) => intent.attempts.length > 0).length,
    requests: countsByKind(intents),
    codes: counted(attempts.flatMap(({ code }) => code ?? [])),
    longestWithoutAnswerMs: longestGap(answered, began, ended),
    longestWithoutSuccessMs: longestGap(successes, began, ended),
    slowestRequestMs: attempts.reduce((slowest, { ms }) => Math.max(slowest, ms), 0),
    subscriptions,
    deliveries,
    lost: count('lost'),
    doubled: count('doubled'),
    wrong: count('wrong'),
    findings: Object.fromEntries(
      Object.entries(findings).map(([check, found]) => [check, found.map(({ kind, text }) => `${kind}: ${text}`)]),
    ),
  };
}

/** True when everything that was promised was kept, and in time. */
export const isGood = (report: Report): boolean =>
  report.lost + report.doubled + report.wrong + report.unanswered + report.crashes === 0 &&
  report.longestWithoutAnswerMs <= LONGEST_SILENCE_MS &&
  report.slowestRequestMs <= LONGEST_REQUEST_MS;

/** The report as lines for people. */
export function linesOf(report: Report): string[] {
  const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const each = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `Seed ${report.seed}, MongoDB ${report.mongodb}, ${report.seconds} s of faults.`,
    `Faults: ${each(report.faults)}; kills in all ${report.kills}; gateways that ended by themselves ${report.crashes}.`,
    ...Object.entries(report.requests).map(([kind, counts]) => `  ${kind.padEnd(28)} ${each(counts)}`),
    `Codes of problems: ${each(report.codes) || 'none'}.`,
    `Intents ${report.intents}: ${report.acknowledged} acknowledged, ${report.refused} refused, ${report.unanswered} without an answer; ${report.retries} retries.`,
    `Longest time without any answer ${inSeconds(report.longestWithoutAnswerMs)} (at most ${inSeconds(LONGEST_SILENCE_MS)}), without success ${inSeconds(report.longestWithoutSuccessMs)}; slowest request ${inSeconds(report.slowestRequestMs)} (at most ${inSeconds(LONGEST_REQUEST_MS)}).`,
    `Subscriptions: ${report.subscriptions.events} events by ${report.subscriptions.streams} streams.`,
    `Webhooks: ${report.deliveries.messages} messages taken, ${report.deliveries.doubled} of them again (allowed); lost ones are counted below.`,
    ...Object.entries(report.findings).flatMap(([check, found]) => [
      ...found.slice(0, 20).map((text) => `WRONG (${check}): ${text}`),
      ...(found.length > 20 ? [`WRONG (${check}): and ${found.length - 20} more`] : []),
    ]),
    `Lost ${report.lost}, doubled ${report.doubled}, otherwise wrong ${report.wrong}.`,
  ];
}

function countsByKind(intents: readonly Intent[]): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { kind, attempts } of intents) {
    const ofKind = counts[kind] ?? {};
    counts[kind] = ofKind;
    for (const { outcome } of attempts) ofKind[outcome] = (ofKind[outcome] ?? 0) + 1;
  }
  return counts;
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function longestGap(attempts: readonly Attempt[], began: number, ended: number): number {
  const times = attempts.map(({ at, ms }) => at + ms).filter((time) => time > began && time < ended);
  const points = [began, ...times.sort((a, b) => a - b), ended];
  return points.reduce((longest, time, index) => Math.max(longest, time - (points[index - 1] ?? time)), 0);
}
