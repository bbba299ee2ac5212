import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../src/demo/random.ts';
import type { Answer, Claim, Intent, Ledger, OpenIntent } from './ledger.ts';
import type { Gateway } from './processes/gateway.ts';

/** Who asks, by the keys of the demo. */
export const KEYS = {
  client: 'demo-client-key',
  vendor: 'demo-vendor-key',
  admin: 'demo-admin-key',
  nobody: undefined,
} as const;

/** A request that is sent until it is answered. */
export interface Wish {
  readonly kind: string;
  readonly claim: Claim;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly form?: () => FormData;
  readonly as?: keyof typeof KEYS;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the first try goes; the others go anywhere. */
  readonly first?: Gateway;
}

/** Longer than any request may take (`LONGEST_REQUEST_MS`). */
const ATTEMPT_MS = 25_000;
/** Refusals that ask for the same request again. */
const AGAIN = new Set(['IDEMPOTENCY_IN_PROGRESS', 'RATE_LIMITED']);

/** Sends requests as a careful partner does: the same request under the same key, until its outcome is known. */
export class Client {
  readonly gateways: readonly Gateway[];
  readonly ledger: Ledger;
  readonly #random: Random;
  readonly #wishes = new Map<number, Wish>();
  #isOver = false;

  constructor(gateways: readonly Gateway[], ledger: Ledger, random: Random) {
    this.gateways = gateways;
    this.ledger = ledger;
    this.#random = random;
  }

  /** No intent is asked for any more: what is open stays open. */
  giveUp(): void {
    this.#isOver = true;
  }

  /** The answer that ends the intent; undefined when there was none before the end. */
  async perform(wish: Wish): Promise<Answer | undefined> {
    const { kind, claim, method, path } = wish;
    const intent = this.ledger.open({ kind, key: randomUUID(), method, path, claim });
    this.#wishes.set(intent.number, wish);
    for (let pause = 50; !this.#isOver; pause = Math.min(pause * 2, 800)) {
      const isFirst = intent.attempts.length === 0;
      const gateway = (isFirst && wish.first) || this.#random.pick(this.gateways);
      const answer = await this.#try(intent, wish, gateway);
      if (answer) {
        this.ledger.settle(intent, answer);
        return answer;
      }
      await sleep(pause * (0.5 + this.#random.next()));
    }
    return undefined;
  }

  /** One request outside of the ledger; throws when it is not answered with success. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer may be any JSON
  async ask(method: string, path: string, options: Pick<Wish, 'body' | 'as' | 'headers'> = {}): Promise<any> {
    const response = await this.#send({ ...options, method, path }, this.#random.pick(this.gateways), undefined);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** What was asked for by an intent of this client. */
  wishOf({ number }: Intent): Wish | undefined {
    return this.#wishes.get(number);
  }

  /** The same request under the same key once more, as somebody sends it who lost the answer. */
  repeat(wish: Wish, key: string): Promise<Response> {
    return this.#send(wish, this.#random.pick(this.gateways), key);
  }

  async #try(intent: OpenIntent, wish: Wish, gateway: Gateway): Promise<Answer | undefined> {
    const at = this.ledger.now();
    const tried = (outcome: number | string, code?: string): void =>
      this.ledger.tried(intent, { at, ms: this.ledger.now() - at, gateway: gateway.name, outcome, code });
    try {
      const response = await this.#send(wish, gateway, intent.key);
      const text = await response.text();
      const { status, headers } = response;
      const body = text === '' ? undefined : JSON.parse(text);
      const code: string | undefined = status < 400 ? undefined : body?.code;
      tried(status, code);
      return status >= 500 || AGAIN.has(code ?? '') ? undefined : { status, body, headers };
    } catch (error) {
      const { name, cause } = error as Error;
      tried(String((cause as { code?: unknown } | undefined)?.code ?? name));
      return undefined;
    }
  }

  #send(wish: Pick<Wish, 'method' | 'path' | 'body' | 'form' | 'as' | 'headers'>, gateway: Gateway, key?: string) {
    const { method, path, body, form, as = 'client', headers } = wish;
    return fetch(`${gateway.url}${path}`, {
      method,
      headers: {
        ...(KEYS[as] !== undefined && { Authorization: `Bearer ${KEYS[as]}` }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: form() }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
  }
}
