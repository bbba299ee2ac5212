import { setTimeout as sleep } from 'node:timers/promises';

interface Target {
  readonly url: string;
  isReady: boolean;
  answered: number;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const ASKED_EVERY_MS = 100;

/** Sends requests in turn to the gateways whose /readyz reports ready, as load balancers do. */
export class LoadBalancer {
  readonly #targets: Target[] = [];
  readonly #asking = new AbortController();
  #next = 0;

  constructor() {
    void this.#ask();
  }

  add(url: string): void {
    this.#targets.push({ url, isReady: false, answered: 0 });
  }

  /** How many requests a gateway has answered. */
  answeredBy(url: string): number {
    return this.#targets.find((target) => target.url === url)?.answered ?? 0;
  }

  isReady(url: string): boolean {
    return this.#targets.some((target) => target.url === url && target.isReady);
  }

  /** Sent once: failures are not retried. */
  async send({ method, path, body }: Sent): Promise<{ readonly status: number; readonly text: string }> {
    const ready = this.#targets.filter(({ isReady }) => isReady);
    const target = ready[this.#next++ % ready.length];
    if (target === undefined) throw new Error('no gateway is ready');
    const response = await fetch(target.url + path, {
      method,
      headers: { Authorization: 'Bearer demo-client-key', 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    target.answered++;
    return { status: response.status, text };
  }

  stop(): void {
    this.#asking.abort();
  }

  async #ask(): Promise<void> {
    while (!this.#asking.signal.aborted) {
      await Promise.all(
        this.#targets.map(async (target) => {
          const answer = await fetch(`${target.url}/readyz`).catch(() => undefined);
          target.isReady = answer?.ok ?? false;
          await answer?.text().catch(() => undefined);
        }),
      );
      await sleep(ASKED_EVERY_MS);
    }
  }
}
