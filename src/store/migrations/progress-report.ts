import type { MigrationProgress } from './stored-form.ts';

/** The observer of a migration's progress. */
export interface MigrationLog {
  info(fields: object, message: string): void;
}

/** The progress of long work; `to` is the stored form it leads to, if any. */
type Reported = Omit<MigrationProgress, 'to'> & Partial<Pick<MigrationProgress, 'to'>>;

const EVERY_MS = 5_000;

/** Logs a migration's progress from time to time: documents done and in total, the rate, and the time left. */
export class ProgressReport {
  readonly #log: MigrationLog;
  readonly #started = performance.now();
  #before: number | undefined;
  #said = Number.NEGATIVE_INFINITY;

  /** `before`: how many documents had been read when the work started. */
  constructor(log: MigrationLog, before?: number) {
    this.#log = log;
    this.#before = before;
  }

  say(message: string, { to, title, read, changed, total }: Reported, now = false): void {
    if (!now && performance.now() - this.#said < EVERY_MS) return;
    this.#said = performance.now();
    this.#before ??= read;
    const seconds = (performance.now() - this.#started) / 1_000;
    const perSecond = seconds > 0 ? Math.round((read - this.#before) / seconds) : 0;
    const left = perSecond > 0 ? { perSecond, secondsLeft: Math.ceil(Math.max(0, total - read) / perSecond) } : {};
    this.#log.info({ ...(to !== undefined && { form: to }), title, read, total, changed, ...left }, message);
  }
}
