import type { Toggle } from './recorded-subscriptions.ts';

/** One of several services in this process, which get requests in turn, never concurrently. */
interface Metered extends Toggle {
  readonly name: string;
}

/** Charges this thread's CPU time to the service that got the last request, until another service gets one. */
export class Meter {
  readonly #used = new Map<string, number>();
  #current: Metered | undefined;
  #since = threadTime();

  /** Notes that a request has reached this service. */
  enter(service: Metered): void {
    if (service === this.#current) return;
    this.#charge();
    this.#current?.off();
    service.on();
    this.#current = service;
    this.#since = threadTime(); // switching is charged to nobody
  }

  /** The time that each service has used since the last call, in microseconds; nobody is charged until the next request. */
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
