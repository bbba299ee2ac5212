import type { Toggle } from './recorded-subscriptions.ts';

/** One of several services of this process, which get requests in turn and never at the same time. */
export interface Metered extends Toggle {
  readonly name: string;
}

/** Charges the processor time of this thread to the service that got the last request, until another one gets one. */
export class Meter {
  readonly #used = new Map<string, number>();
  #current: Metered | undefined;
  #since = threadTime();

  /** A request has come to this service. */
  enter(service: Metered): void {
    if (service === this.#current) return;
    this.#charge();
    this.#current?.off();
    service.on();
    this.#current = service;
    this.#since = threadTime(); // what switching took is nobody's
  }

  /** What each has used since this was called last, in microseconds; from now on, nobody is charged until a request comes. */
  read(): Record<string, number> {
    this.#charge();
    this.#current?.off();
    this.#current = undefined;
    const used = Object.fromEntries(this.#used);
    this.#used.clear();
    return used;
  }

  #charge(): void {
    if (this.#current === undefined) return;
    const { name } = this.#current;
    this.#used.set(name, (this.#used.get(name) ?? 0) + threadTime() - this.#since);
  }
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
