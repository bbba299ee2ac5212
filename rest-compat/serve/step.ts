import type { Exchange } from '../exchange.ts';

/** Returned by a step that has answered the request. */
export const ANSWERED = Symbol('answered');

/** What a step returns. */
// biome-ignore lint/suspicious/noConfusingVoidType: most steps return nothing
export type Outcome = void | typeof ANSWERED;

/** One step of the pipeline; throws the error to respond with, and returns whether it has already answered. */
export type Step = (exchange: Exchange) => Outcome | Promise<Outcome>;
