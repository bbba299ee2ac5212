import type { BenchRequest } from '../rows/operation.ts';

/** What is sent, to whom, by how many, for how long. */
export interface Load {
  readonly url: string;
  readonly key: string;
  readonly requests: readonly BenchRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** Each request is sent once, however long it takes. */
  readonly once?: true | undefined;
  /** Where files of the load program go. */
  readonly folder: string;
}

/** What came of it. */
export interface Figures {
  /** Answers in a second. */
  readonly perSecond: number;
  /** Latency in milliseconds that half, and 99 of 100, of the answers kept. */
  readonly p50: number;
  readonly p99: number;
}

/** How many answers there were. */
export const answersOf = ({ perSecond }: Figures, { once, requests, seconds }: Load): number =>
  once ? requests.length : perSecond * seconds;

/** What a load program counts; an answer outside 200 to 299 or a broken connection makes a run void. */
export interface Counts extends Figures {
  readonly failed: number;
}

/** A load program: a process of its own, so that its work is not the contestant's. */
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
