import { type ExecutionResult, GraphQLError } from 'graphql';
import type { RowLimit } from '../../domain/request/held-rows.ts';
import { ServiceError } from '../../errors.ts';
import { RawJson } from '../../model/raw-json.ts';
import { longTexts } from '../execution/leaf-serializers.ts';
import { requestError } from '../request-error.ts';

export interface AnswerLimits {
  /** The maximum size of the response. */
  readonly bytes: number;
  /** The maximum cost of what the operation resolves. */
  readonly cost: number;
  /** What the operation has changed stays changed when its response is refused. */
  readonly changes?: boolean;
}

/**
 * How many characters of the response one counted byte stands for at most, where no text is long: a leaf counts as five
 * bytes at least, and has a name of at most 200 characters.
 */
const CHARACTERS_PER_BYTE = 256;
/** How long a response without long texts may be that is not measured, in characters. */
const UNMEASURED = 1024 * 1024;
/** How many times as large as a response may be what is read for it, as it is stored. */
const ROWS_OF_ANSWER = 4;

/**
 * The limits of one GraphQL operation while it runs: the cost of what it resolves, and the size of its response. Both are
 * counted before anything is built from it, so that what is too much is never built.
 */
export class AnswerBudget {
  readonly #limits: AnswerLimits;
  #bytes: number;
  #cost: number;
  #error: ExecutionResult | undefined;
  #exceed: ((result: ExecutionResult) => void) | undefined;
  #stalled: Promise<never> | undefined;
  #longTextsBefore: number | undefined;
  #left: number | undefined;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
    this.#bytes = limits.bytes;
    this.#cost = limits.cost;
  }

  /** The value of fields once the budget is spent: a promise that never settles, so that nothing below them is resolved. */
  get stalled(): Promise<never> {
    this.#stalled ??= new Promise<never>(() => undefined);
    return this.#stalled;
  }

  get isSpent(): boolean {
    return this.#bytes < 0 || this.#cost < 0;
  }

  /** What may be read for the response; more ends the operation. */
  get rows(): RowLimit {
    const { bytes, changes = false } = this.#limits;
    return { bytes: bytes * ROWS_OF_ANSWER, mayBeRefused: !changes, exceed: (error) => this.#end(error) };
  }

  /** The cost counted so far. */
  get cost(): number {
    return this.#limits.cost - this.#cost;
  }

  /** For a compiled operation, whose long texts are counted: how many there were of all operations before it began. */
  watchTexts(longTextsBefore: number): void {
    this.#longTextsBefore = longTextsBefore;
  }

  /** Whether the texts of the response are too short for it to have more characters than that. */
  #surelyFits(most: number): boolean {
    return this.#longTextsBefore === longTexts() && (this.#limits.bytes - this.#bytes) * CHARACTERS_PER_BYTE <= most;
  }

  /** How long a response will be, in characters; 0 for what is surely short, or too long to be sent. */
  charactersOf({ data }: ExecutionResult): number {
    if (this.#surelyFits(UNMEASURED)) return 0;
    const { bytes } = this.#limits;
    this.#left = leftAfter(data, bytes);
    return this.#left < 0 ? 0 : bytes - this.#left;
  }

  /** Counts bytes of the response and the cost of what is resolved; false if a limit is exceeded. */
  spend(bytes: number, cost: number): boolean {
    if (this.isSpent) return false;
    this.#bytes -= bytes;
    this.#cost -= cost;
    if (this.#bytes >= 0 && this.#cost >= 0) return true;
    this.#answerWith(this.#bytes < 0 ? answerTooLarge(this.#limits) : costExceeded(this.#limits));
    return false;
  }

  #end({ code, message, headers }: ServiceError): void {
    if (this.isSpent) return;
    this.#bytes = -1;
    const detail = message + (this.#limits.changes ? CHANGED : '');
    const later = (): GraphQLError =>
      new GraphQLError(detail, { originalError: new ServiceError(code, detail, { headers }) });
    this.#answerWith(code === 'TOO_LARGE' ? requestError(code, detail) : later());
  }

  #answerWith(error: GraphQLError): void {
    this.#error = { errors: [error] };
    this.#exceed?.(this.#error);
  }

  /** Counts an error as that many bytes, and throws it; or returns what stalls, once there are too many. */
  fail(error: unknown, bytes: number): Promise<never> {
    if (!this.spend(bytes, 0)) return this.stalled;
    throw error;
  }

  /** The result of an execution, or the error as soon as the budget is spent; it is written within the budget too. */
  limit(result: Promise<ExecutionResult> | ExecutionResult): Promise<ExecutionResult> | ExecutionResult {
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      if (this.#error) resolve(this.#error);
      this.#exceed = resolve;
      result.then(resolve, reject);
    });
  }

  /** The text of a result, or of an error if it would be too long. */
  readonly write = (result: object): string => {
    const { data }: ExecutionResult = result;
    const { bytes } = this.#limits;
    const fits = this.#surelyFits(bytes) || (this.#left ?? leftAfter(data, bytes)) >= 0;
    const text = fits ? writeOrNothing(result) : undefined;
    const sent =
      text !== undefined && (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) ? text : undefined;
    return sent ?? JSON.stringify({ errors: [withoutHttp(answerTooLarge(this.#limits))] });
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
    const member = (value as Readonly<Record<string, unknown>>)[name];
    left -= name.length;
    left = typeof member === 'string' ? left - member.length : leftAfter(member, left); // most are texts
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

const answerTooLarge = ({ bytes, changes }: AnswerLimits): GraphQLError =>
  requestError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than the ${bytes} bytes that are allowed. Ask for smaller pages or fewer fields.${changes ? CHANGED : ''}`,
  );

const costExceeded = ({ cost, changes }: AnswerLimits): GraphQLError =>
  requestError(
    'COST_EXCEEDED',
    `The operation costs more than the ${cost} that are allowed, by what its lists hold. Ask for smaller pages or fewer relations.${changes ? CHANGED : ''}`,
  );

const CHANGED = ' What the operation has changed so far stays changed: do not send it again.';

const withoutHttp = ({ message, extensions: { code } }: GraphQLError): object => ({ message, extensions: { code } });
