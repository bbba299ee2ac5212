import { appendFileSync } from 'node:fs';

/** What is to be in the database once a request was answered with success. */
export type Claim =
  /** Documents that carry these marks: each of them once, and all of them or none. */
  | { readonly noun: 'documents'; readonly marks: readonly string[]; readonly parent?: string }
  /** A version of an entity that carries this mark. */
  | { readonly noun: 'change'; readonly entity: string; readonly mark: string }
  | { readonly noun: 'deletion'; readonly entity: string }
  | { readonly noun: 'catalog record'; readonly xref: string }
  | { readonly noun: 'synonym'; readonly items: readonly [string, string]; readonly unlinked?: true }
  | { readonly noun: 'reference record'; readonly code: string; readonly mark: string }
  | { readonly noun: 'file'; readonly mark: string; readonly sha256: string; readonly parent: string }
  | { readonly noun: 'workspace'; readonly mark: string }
  | { readonly noun: 'session'; readonly signedOut?: string };

/** One try of a request. */
export interface Attempt {
  /** Milliseconds since the run began. */
  readonly at: number;
  readonly ms: number;
  readonly gateway: string;
  /** The status, or what happened to the connection. */
  readonly outcome: number | string;
  /** The code of a problem document. */
  readonly code?: string | undefined;
}

/** What a client wants once, however often it has to ask. */
export interface Intent {
  readonly number: number;
  readonly kind: string;
  /** The Idempotency-Key of every try. */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly claim: Claim;
  readonly attempts: readonly Attempt[];
  /** The last answer: 2xx or a refusal; undefined while there is none. */
  readonly answer: Answer | undefined;
}

/** An answer that ended an intent. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer may be any JSON
  readonly body: any;
  readonly headers: Headers;
}

/** An intent that is still being asked for. */
export interface OpenIntent extends Omit<Intent, 'attempts' | 'answer'> {
  readonly attempts: Attempt[];
  answer: Answer | undefined;
}

/** What was asked for, and what was answered; each line of its file is written before anything else happens. */
export class Ledger {
  readonly #file: string;
  readonly #intents: OpenIntent[] = [];
  readonly #began = performance.now();

  constructor(file: string) {
    this.#file = file;
  }

  get intents(): readonly Intent[] {
    return this.#intents;
  }

  /** Milliseconds since the run began. */
  now(): number {
    return Math.round(performance.now() - this.#began);
  }

  open(intent: Omit<Intent, 'number' | 'attempts' | 'answer'>): OpenIntent {
    const opened: OpenIntent = { ...intent, number: this.#intents.length, attempts: [], answer: undefined };
    this.#intents.push(opened);
    const { number, kind, key, method, path, claim } = opened;
    this.#write({ number, at: this.now(), kind, key, method, path, claim });
    return opened;
  }

  tried(intent: OpenIntent, attempt: Attempt): void {
    intent.attempts.push(attempt);
    this.#write({ number: intent.number, ...attempt });
  }

  settle(intent: OpenIntent, answer: Answer): void {
    intent.answer = answer;
    this.#write({ number: intent.number, at: this.now(), settled: answer.status, id: answer.body?.id });
  }

  note(what: string): void {
    this.#write({ at: this.now(), fault: what });
  }

  #write(line: object): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** True when it was answered with success. */
export const isAcknowledged = ({ answer }: Intent): boolean => answer !== undefined && answer.status < 300;

/** True when a try before the last one may have done the work although its answer is not known. */
export const isAmbiguous = ({ attempts }: Intent): boolean => attempts.slice(0, -1).length > 0;
