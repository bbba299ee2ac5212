import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../src/demo/random.ts';
import { KEYS } from './client.ts';
import type { Gateway } from './processes/gateway.ts';

const QUERY = `subscription Follow($workspace: UUID, $types: [String!]) {
  documentChanged(workspace: $workspace, types: $types) { id kind documentId versionId }
}`;
/** A stream sends something every 12 seconds; one that is silent for longer is given up. */
const SILENCE_MS = 30_000;
const PAUSE_MS = 200;

/** What a subscriber asks for. */
interface Followed {
  readonly as: 'client' | 'vendor';
  readonly workspace?: string;
  readonly types?: readonly string[];
}

/** One event as it was told. */
export interface Told {
  readonly id: string;
  readonly kind: string;
  readonly documentId: string;
  readonly versionId: string | null;
}

/** Follows changes through whatever gateway answers, and goes on from the last event after each interruption. */
export class Subscriber {
  readonly followed: Followed;
  readonly told: Told[] = [];
  /** Answers that a subscriber with a good place must not get. */
  readonly refusals: string[] = [];
  connections = 0;
  /** After which event the first stream began. */
  began: number | undefined;
  readonly #gateways: readonly Gateway[];
  readonly #random: Random;
  readonly #stopped = new AbortController();
  #lastId = '';

  constructor(gateways: readonly Gateway[], random: Random, followed: Followed) {
    this.#gateways = gateways;
    this.#random = random;
    this.followed = followed;
  }

  stop(): void {
    this.#stopped.abort();
  }

  async run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const hangUp = new AbortController();
      try {
        await this.#follow(this.#random.pick(this.#gateways), hangUp);
      } catch {
        // the gateway was killed, or it is not there yet
      }
      hangUp.abort();
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #follow({ url }: Gateway, hangUp: AbortController): Promise<void> {
    const { as, ...variables } = this.followed;
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${KEYS[as]}`,
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        ...(this.#lastId !== '' && { 'Last-Event-ID': this.#lastId }),
      },
      body: JSON.stringify({ query: QUERY, variables }),
      signal: AbortSignal.any([this.#stopped.signal, hangUp.signal]),
    });
    if (!response.ok || !response.body) return;
    this.connections += 1;
    const decoder = new TextDecoder();
    let text = '';
    let silence = setTimeout(() => hangUp.abort(), SILENCE_MS);
    try {
      for await (const chunk of response.body) {
        clearTimeout(silence);
        silence = setTimeout(() => hangUp.abort(), SILENCE_MS);
        const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w*: ?/, '')]));
    const data = fields.get('data');
    if (fields.get('event') === 'next' && data) this.#next(data);
    const id = fields.get('id');
    if (id === undefined) return;
    this.#lastId = id;
    this.began ??= Number(id);
  }

  #next(data: string): void {
    const { data: found, errors } = JSON.parse(data);
    if (found?.documentChanged) this.told.push(found.documentChanged);
    for (const { message, extensions } of errors ?? []) {
      const code = extensions?.code ?? 'none';
      if (code !== 'UNAVAILABLE') this.refusals.push(`${code} after ${this.#lastId || 'nothing'}: ${message}`);
    }
  }
}
