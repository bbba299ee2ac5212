import { setTimeout as sleep } from 'node:timers/promises';
import { MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import type { Mongod } from './mongod.ts';

/** A mongod that ran for this long is healthy: earlier failures no longer count. */
const STEADY_MS = 10_000;
/** The limits on consecutive failed starts, and on consecutive runs shorter than STEADY_MS. */
const MAX_FAILED_STARTS = 8;
const MAX_SHORT_LIVES = 20;
const MAX_WAIT_MS = 2_000;
/** How much later than its connections a mongod may end. */
const LAST_MOMENTS_MS = 3_000;

/** The part of a logger used when a mongod ends. */
export interface SupervisionLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** How mongod is started: the process, then what makes it usable, which throws if mongod is unusable or ends. */
export interface Launch {
  readonly start: () => Promise<Mongod>;
  readonly makeUsable: (mongod: Mongod) => Promise<void>;
}

/** Keeps mongod running: restarts it when it ends, until we are asked to stop or it will not stay up. */
export class Supervisor {
  /** Resolves when mongod has ended for good: with the reason if it kept failing, with undefined after a stop. */
  readonly ended: Promise<Error | undefined>;
  readonly #launch: Launch;
  readonly #log: SupervisionLog;
  readonly #stop = new AbortController();
  #mongod: Mongod;
  #lastEnd: string | undefined;

  /** `mongod` must already be usable. */
  constructor(mongod: Mongod, launch: Launch, log: SupervisionLog) {
    this.#mongod = mongod;
    this.#launch = launch;
    this.#log = log;
    this.ended = this.#watch();
  }

  get pid(): number {
    return this.#mongod.pid;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#mongod.stop();
    await this.ended;
  }

  /** The error of work on this mongod; if mongod has ended meanwhile, one that also says why. */
  async explained(error: unknown): Promise<unknown> {
    if (isDisconnection(error)) await Promise.race([this.#mongod.ended, sleep(LAST_MOMENTS_MS)]);
    if (this.#lastEnd === undefined || !(error instanceof Error)) return error;
    return new Error(`${error.message}\nThe embedded mongod ${this.#lastEnd}.`, { cause: error });
  }

  async #watch(): Promise<Error | undefined> {
    let usableSince = performance.now();
    for (let shortLives = 0; ; ) {
      const { pid } = this.#mongod;
      const how = await this.#mongod.ended;
      if (this.#stop.signal.aborted) return undefined;
      this.#lastEnd = how;
      const now = performance.now();
      shortLives = now - usableSince < STEADY_MS ? shortLives + 1 : 0;
      if (shortLives > MAX_SHORT_LIVES) {
        return new Error(
          `the embedded mongod ended ${shortLives} times, each time within ${STEADY_MS / 1_000} s; at last it ${how}`,
        );
      }
      this.#log.error({ mongod: pid }, `the embedded mongod ${how}; it is started again, until then requests get 503`);
      const failure = await this.#startAgain(shortLives);
      if (failure !== undefined || this.#stop.signal.aborted) return failure;
      usableSince = performance.now();
      this.#log.info({ mongod: this.pid, downMs: Math.round(usableSince - now) }, 'the embedded mongod runs again');
    }
  }

  async #startAgain(shortLives: number): Promise<Error | undefined> {
    for (let failures = 0; ; ) {
      await sleep(waitBefore(shortLives + failures), undefined, { signal: this.#stop.signal }).catch(() => {});
      if (this.#stop.signal.aborted) return undefined;
      try {
        this.#mongod = await this.#launch.start();
        if (this.#stop.signal.aborted) await this.#mongod.stop();
        else await this.#launch.makeUsable(this.#mongod);
        return undefined;
      } catch (error) {
        if (this.#stop.signal.aborted) return undefined;
        await this.#mongod.stop();
        failures += 1;
        const reason = (error as Error).message;
        if (failures === MAX_FAILED_STARTS) {
          return new Error(`the embedded mongod could not be started again ${failures} times in a row: ${reason}`);
        }
        this.#log.error({ attempt: failures }, `the embedded mongod could not be started again: ${reason}`);
      }
    }
  }
}

/** Exponential backoff: no wait before the first try, then doubling. */
const waitBefore = (before: number): number => (before === 0 ? 0 : Math.min(MAX_WAIT_MS, 125 * 2 ** before));

/** Whether an error, or what caused it, is that mongod no longer responds. */
const isDisconnection = (error: unknown): boolean =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  (error instanceof Error && isDisconnection(error.cause));
