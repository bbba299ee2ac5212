import { type ExecutionResult, GraphQLError } from 'graphql';
import type { RowLimit } from '../../domain/request/held-rows.ts';
import { ServiceError } from '../../errors.ts';
import { jsonText, RawJson } from '../../model/raw-json.ts';
import { longTexts } from '../execution/leaf-serializers.ts';
import { requestError } from '../request-error.ts';

interface AnswerLimits {
  /** The maximum size of the response. */
  readonly bytes: number;
  /** The maximum cost of what the operation resolves. */
  readonly cost: number;
  /** Whether it writes: its changes persist even if its response is refused. */
  readonly changes?: boolean;
}

/**
 * The maximum characters of the response per counted byte if no text is long: a leaf counts as at least five bytes, and its
 * name has at most 200 characters.
 */
const CHARACTERS_PER_BYTE = 256;
/** A response without long texts is not measured up to this size, in characters. */
const UNMEASURED = 1024 * 1024;
/** The maximum stored size of the data read for a response, as a multiple of its size. */
const ROWS_OF_ANSWER = 4;

/**
 * The limits of one running GraphQL operation: the cost of what it resolves, and the size of its response. Both are counted
 * before the response is built, so an oversized one never is.
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

  /** The value of fields once the budget is spent: a promise that never settles, so nothing below them is resolved. */
  get stalled(): Promise<never> {
    this.#stalled ??= new Promise<never>(() => undefined);
    return this.#stalled;
  }

  get isSpent(): boolean {
    return this.#bytes < 0 || this.#cost < 0;
  }

  /** The read limit of the response; exceeding it ends the operation. */
  get rows(): RowLimit {
    const { bytes, changes = false } = this.#limits;
    return { bytes: bytes * ROWS_OF_ANSWER, mayBeRefused: !changes, exceed: (error) => this.#end(error) };
  }

  /** The cost counted so far. */
  get cost(): number {
    return this.#limits.cost - this.#cost;
  }

  /** For a compiled operation, whose long texts are counted: the count of all operations before it began. */
  watchTexts(longTextsBefore: number): void {
    this.#longTextsBefore = longTextsBefore;
  }

  /** Whether the response is certain to have at most that many characters. */
  #surelyFits(most: number): boolean {
    return this.#longTextsBefore === longTexts() && (this.#limits.bytes - this.#bytes) * CHARACTERS_PER_BYTE <= most;
  }

  /** The length of the response in characters; 0 if it is certainly short, or too long to be sent. */
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

  /** Counts an error as that many bytes and throws it; once the budget is spent, stalls instead. */
  fail(error: unknown, bytes: number): Promise<never> {
    if (!this.spend(bytes, 0)) return this.stalled;
    throw error;
  }

  /** The result of an execution, or the error as soon as the budget is spent; `write` keeps to the budget too. */
  limit(result: Promise<ExecutionResult> | ExecutionResult): Promise<ExecutionResult> | ExecutionResult {
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      if (this.#error) resolve(this.#error);
      this.#exceed = resolve;
      result.then(resolve, reject);
    });
  }

  /** The JSON of a result, or of an error if it is too long. */
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

/** The characters left of `most` after a value is written as JSON; stops below 0. */
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

/** Undefined if the text exceeds the maximum string length. */
function writeOrNothing(result: object): string | undefined {
  try {
    return jsonText(result);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const answerTooLarge = ({ bytes, changes }: AnswerLimits): GraphQLError =>
  requestError(
    'ANSWER_TOO_LARGE',
    `The response would be larger than the ${bytes} bytes that are allowed. Ask for smaller pages or fewer fields.${changes ? CHANGED : ''}`,
  );

const costExceeded = ({ cost, changes }: AnswerLimits): GraphQLError =>
  requestError(
    'COST_EXCEEDED',
    `The operation costs more than the ${cost} that are allowed, by what its lists hold. Ask for smaller pages or fewer relations.${changes ? CHANGED : ''}`,
  );

const CHANGED = ' What the operation has changed so far stays changed: do not send it again.';

const withoutHttp = ({ message, extensions: { code } }: GraphQLError): object => ({ message, extensions: { code } });
