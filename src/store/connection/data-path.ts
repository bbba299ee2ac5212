import { HEALTHY, type HealthReport } from '../../model/health.ts';

/** Waits longer than this trigger a check of MongoDB: early enough for it to finish before patience runs out. */
const SUSPICIOUS_MS = 1_500;
/** Anyone who has waited longer than this while all was well is being served: checks are rarer then. */
const FAMILIAR_MS = 6_000;
const PAUSE_MS = 1_000;
const LONG_PAUSE_MS = 5_000;

/**
 * Whether MongoDB reads and writes, checked only while someone has waited suspiciously long, and from the first failure until all
 * is well again. A hanging server may still answer heartbeats.
 */
export class DataPath {
  readonly #check: () => Promise<HealthReport>;
  #begun = Number.NEGATIVE_INFINITY;
  #isChecking = false;
  reads = true;
  writes = true;

  constructor(check: () => Promise<HealthReport>) {
    this.#check = check;
  }

  /** Starts a check if one is due, given how long each waiter has waited. */
  look(now: number, waits: readonly number[]): void {
    if (this.#isChecking || now - this.#begun < PAUSE_MS) return;
    const isWell = this.reads && this.writes;
    const suspicious = waits.filter((ms) => ms >= SUSPICIOUS_MS);
    if (isWell && suspicious.length === 0) return;
    const isFamiliar = isWell && suspicious.every((ms) => ms >= FAMILIAR_MS);
    if (isFamiliar && now - this.#begun < LONG_PAUSE_MS) return;
    this.#begun = now;
    void this.#run();
  }

  async #run(): Promise<void> {
    this.#isChecking = true;
    const { metadataStore, dataStore } = await this.#check();
    this.reads = dataStore === HEALTHY;
    this.writes = this.reads && metadataStore === HEALTHY;
    this.#isChecking = false;
  }
}
