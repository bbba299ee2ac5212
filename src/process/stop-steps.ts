import { setTimeout as sleep } from 'node:timers/promises';

/** How long this process may take to end its requests (10 s) and let go of the database. */
export const SERVICE_STOP_MS = 14_000;
/** How long all that serves may take; workers are killed after their time. */
export const SERVING_STOP_MS = 14_500;
/** How long the embedded mongod may take, which is killed after 20 s; with the time before it, 35 s in all. */
export const DATABASE_STOP_MS = 20_250;

/** The part of a logger that a stop needs. */
export interface StopLog {
  error(fields: object, message: string): void;
}

/** The steps of a stop. None can keep the others from being done, by an error or by not ending at all. */
export class StopSteps {
  readonly #log: StopLog;
  readonly #running = new Set<string>();
  #complete = true;

  constructor(log: StopLog) {
    this.#log = log;
  }

  /** False when a step failed, or was not waited for. */
  get complete(): boolean {
    return this.#complete;
  }

  /** One step; it never rejects. */
  async run(name: string, work: Promise<unknown> | undefined): Promise<void> {
    this.#running.add(name);
    try {
      await work;
    } catch (err) {
      this.#complete = false;
      this.#log.error({ err, step: name }, 'a step of the stop failed');
    }
    this.#running.delete(name);
  }

  /** Waits for steps, but no longer than that; the log then says which ones have not ended. */
  async within(ms: number, steps: Promise<void>): Promise<void> {
    const late = new AbortController();
    const timer = sleep(ms, 'late', { signal: late.signal }).catch(() => undefined);
    const outcome = await Promise.race([steps, timer]);
    late.abort();
    if (outcome !== 'late') return;
    this.#complete = false;
    const waitedFor = [...this.#running];
    this.#running.clear();
    this.#log.error({ waitedFor, ms }, `the stop waits no longer for: ${waitedFor.join(', ')}`);
  }
}
