import { setTimeout as sleep } from 'node:timers/promises';

/** How long this process may take to finish its requests (10 s) and disconnect from the database. */
export const SERVICE_STOP_MS = 14_000;
/** How long all serving processes may take; workers are killed when their time is up. */
export const SERVING_STOP_MS = 14_500;
/** How long the embedded mongod, killed after 20 s, may take; 35 s in all with the time before it. */
export const DATABASE_STOP_MS = 20_250;

/** The part of a logger used during a stop. */
interface StopLog {
  error(fields: object, message: string): void;
}

/** The steps of a stop. A step that fails or hangs cannot prevent the others. */
export class StopSteps {
  readonly #log: StopLog;
  readonly #running = new Set<string>();
  #complete = true;

  constructor(log: StopLog) {
    this.#log = log;
  }

  /** False if a step failed or timed out. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Runs one step; never rejects. */
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

  /** Waits for steps for at most `ms`; then logs which ones have not ended. */
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
