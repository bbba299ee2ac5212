import type { BenchRequest } from '../rows/operation.ts';

/** What to send, to whom, over how many connections, for how long. */
export interface Load {
  readonly url: string;
  readonly key: string;
  readonly requests: readonly BenchRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** Each request is sent once, however long it takes. */
  readonly once?: true | undefined;
  /** The folder for files of the load program. */
  readonly folder: string;
}

/** The result of a load. */
export interface Figures {
  /** Answers per second. */
  readonly perSecond: number;
  /** The median and the 99th percentile of the latency, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** The number of answers. */
export const answersOf = ({ perSecond }: Figures, { once, requests, seconds }: Load): number =>
  once ? requests.length : perSecond * seconds;

/** The counts of a load program; an answer outside 200 to 299 or a broken connection voids the run. */
export interface Counts extends Figures {
  readonly failed: number;
}

/** A load program: a separate process, so that its work is not charged to the contestant. */
export type LoadProgram = (load: Load) => Promise<Counts>;

/** The headers of every request of a load. */
export const headersOf = (
  { key }: Pick<Load, 'key'>,
  { body, type = 'application/json', accepts, idempotencyKey, isLast }: BenchRequest,
): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  ...(body !== undefined && { 'Content-Type': type }),
  ...(accepts !== undefined && { 'Accept-Encoding': accepts }),
  ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  ...(isLast && { Connection: 'close' }),
});
