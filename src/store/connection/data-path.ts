import { HEALTHY, type HealthReport } from '../../model/health.ts';

/** From this time of waiting on, it is checked whether MongoDB is to blame: with the time of a check, before patience ends. */
const SUSPICIOUS_MS = 1_500;
/** Who has waited for longer while all was well is worked for: checks are rarer then. */
const FAMILIAR_MS = 6_000;
const PAUSE_MS = 1_000;
const LONG_PAUSE_MS = 5_000;

/**
 * Whether MongoDB reads and writes, checked only while someone has waited for it suspiciously long, and from the first failure until
 * all is well again. A server that hangs may answer heartbeats all the same.
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

  /** Begins a check where one is due, given for how long each of those who wait has waited. */
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
