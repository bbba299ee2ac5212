import type { ExecutionResult, GraphQLError } from 'graphql';
import { requestError } from '../request-error.ts';

/** How much the answer to one GraphQL operation may hold, counted while it is made, so that it is never made whole. */
export class AnswerBudget {
  readonly #most: number;
  #left: number;
  #exceed: (result: ExecutionResult) => void = () => undefined;
  readonly #exceeded: Promise<ExecutionResult>;
  /** What fields are told once the budget is spent. It never settles: nothing below them is made, nor waited for. */
  readonly stalled = new Promise<never>(() => undefined);

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
    this.#exceeded = new Promise((resolve) => {
      this.#exceed = resolve;
    });
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Counts bytes that the answer will have; false when it has too many. */
  spend(bytes: number): boolean {
    if (this.#left < 0) return false;
    this.#left -= bytes;
    if (this.#left < 0) this.#exceed({ errors: [answerTooLarge(this.#most)] });
    return this.#left >= 0;
  }

  /** The result of an execution, or the error as soon as the budget is spent; it is written within the budget too. */
  limit(result: Promise<ExecutionResult> | ExecutionResult): Promise<ExecutionResult> | ExecutionResult {
    return result instanceof Promise ? Promise.race([result, this.#exceeded]) : result;
  }

  /** The text of a result; that of an error where it would be too long. */
  readonly write = (result: object): string => {
    const text = writeOrNothing(result);
    const fits =
      text !== undefined && (text.length * 3 <= this.#most || Buffer.byteLength(text) <= this.#most) ? text : undefined;
    return fits ?? JSON.stringify({ errors: [withoutHttp(answerTooLarge(this.#most))] });
  };
}

/** Undefined where the text is longer than a string can be. */
function writeOrNothing(result: object): string | undefined {
  try {
    return JSON.stringify(result);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const answerTooLarge = (most: number): GraphQLError =>
  requestError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than the ${most} bytes that are allowed. Ask for smaller pages or fewer fields.`,
  );

const withoutHttp = ({ message, extensions: { code } }: GraphQLError): object => ({ message, extensions: { code } });
