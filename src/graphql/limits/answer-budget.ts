import type { ExecutionResult, GraphQLError } from 'graphql';
import { RawJson } from '../../model/raw-json.ts';
import { requestError } from '../request-error.ts';

/** The size limit of one GraphQL response, counted while it is built, so that a response that is too large is never built. */
export class AnswerBudget {
  readonly #most: number;
  #left: number;
  #exceed: (result: ExecutionResult) => void = () => undefined;
  readonly #exceeded: Promise<ExecutionResult>;
  /** The value of fields once the budget is spent: a promise that never settles, so that nothing below them is resolved. */
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

  /** Counts bytes of the response; false if it exceeds the limit. */
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

  /** The text of a result, or of an error if it would be too long. */
  readonly write = (result: object): string => {
    const { data }: ExecutionResult = result;
    const text = leftAfter(data, this.#most) < 0 ? undefined : writeOrNothing(result);
    const fits =
      text !== undefined && (text.length * 3 <= this.#most || Buffer.byteLength(text) <= this.#most) ? text : undefined;
    return fits ?? JSON.stringify({ errors: [withoutHttp(answerTooLarge(this.#most))] });
  };
}

/** What is left of that many characters once a value is written as JSON; less than 0 as soon as they are too few. */
function leftAfter(value: unknown, most: number): number {
  if (typeof value === 'string') return most - value.length;
  if (typeof value !== 'object' || value === null) return most - 1;
  if (value instanceof RawJson) return most - value.text.length;
  let left = most;
  if (Array.isArray(value)) {
    for (const each of value) {
      left = leftAfter(each, left - 1);
      if (left < 0) return left;
    }
    return left;
  }
  for (const name in value) {
    left = leftAfter((value as Readonly<Record<string, unknown>>)[name], left - name.length);
    if (left < 0) return left;
  }
  return left;
}

/** Undefined if the text exceeds the maximum length of a string. */
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
