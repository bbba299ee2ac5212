import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { CoalescedReads } from '../batching/coalesced-reads.ts';
import { QueuedReads } from '../batching/queued-reads.ts';
import { MarkSignals, type PassedMark } from './mark-signals.ts';
import { presentPosition, type StoredResumePoint } from './resume-point.ts';

interface StoredMark {
  readonly _id: string;
  readonly n: number;
  /** The process that set it last, and how many times it had done so. */
  readonly by?: string;
}

/** How long a reader waits for earlier writes. */
const LONGEST_WAIT_MS = 2_000;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 50;

/** The documents that let readers wait for a projection. */
export interface ProjectionNames {
  /** A document whose changes reach the projection in order with all others. */
  readonly mark: string;
  readonly resumePoint: string;
}

/** How fresh a projection is, such as statistics, and how to wait for recent writes. */
export class Freshness {
  readonly #db: Db;
  readonly #names: ProjectionNames;
  readonly #marks: Collection<StoredMark>;
  readonly #points: Collection<StoredResumePoint>;
  readonly #signals: MarkSignals;
  readonly #asked = new CoalescedReads<Date | undefined>();
  /** Concurrent waiters share marks and lookups. */
  readonly #set = new QueuedReads<number>();
  readonly #looks = new QueuedReads<Pick<StoredResumePoint, 'at' | 'mark'> | null>();
  /** The last mark passed in this process. */
  #passed: PassedMark | undefined;
  #times = 0;

  constructor(db: Db, names: ProjectionNames) {
    this.#db = db;
    this.#names = names;
    this.#signals = new MarkSignals(db, names.mark);
    this.#signals.onPassed((mark) => {
      this.#passed = mark;
    });
    this.#marks = db.collection('leases');
    this.#points = db.collection('leases', { readConcern: { level: 'majority' } });
  }

  /**
   * Waits up to 2 s for everything acknowledged before the call to be included, and returns the time up to which everything is;
   * undefined during the first build.
   */
  asOf(): Promise<Date | undefined> {
    return this.#asked.share('', async () => (await this.#unchangedUntil()) ?? (await this.#wait(LONGEST_WAIT_MS)).at);
  }

  /** Waits, without limit, for everything acknowledged before the call to be included. */
  async passed(): Promise<Date | undefined> {
    return (await this.#wait(Number.POSITIVE_INFINITY)).at;
  }

  /** Whether everything acknowledged before the call is included within that time. */
  async passedWithin(longestMs: number): Promise<boolean> {
    return (await this.#wait(longestMs)).isPassed;
  }

  /**
   * The current time, if nothing at all was written since the last mark passed. Also undefined if that cannot be determined without
   * a write: a replaced primary may not know yet that it was replaced.
   */
  async #unchangedUntil(): Promise<Date | undefined> {
    const passed = this.#passed?.time;
    if (!passed) return undefined;
    const { from, at, isOfOnlyMember } = await presentPosition(this.#db);
    return isOfOnlyMember && from.equals(passed) ? at : undefined;
  }

  async #wait(longestMs: number): Promise<{ readonly at: Date | undefined; readonly isPassed: boolean }> {
    const until = performance.now() + longestMs;
    let told: PassedMark | undefined;
    let wake = nothing;
    const end = this.#signals.onPassed((mark) => {
      told = mark;
      wake();
    });
    try {
      const wanted = await this.#set.share('', () => this.#setMark());
      const isTold = (): boolean => told !== undefined && told.mark >= wanted;
      for (let pause = FIRST_PAUSE_MS; !isTold(); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([sleep(pause), woken]);
        if (isTold()) break;
        const kept = await this.#looks.share('', () => this.#look());
        const isPassed = (kept?.mark ?? 0) >= wanted && kept?.at !== undefined;
        if (isPassed || performance.now() > until) return { at: kept?.at, isPassed };
      }
      return { at: told?.at, isPassed: true };
    } finally {
      end();
    }
  }

  async #setMark(): Promise<number> {
    // Journal immediately: change streams show what a majority has journaled, which otherwise happens only every 100 ms.
    const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1, journal: true } } as const;
    const change = { $inc: { n: 1 }, $set: { by: `${this.#signals.process} ${++this.#times}` } };
    return (await this.#marks.findOneAndUpdate({ _id: this.#names.mark }, change, options))?.n ?? 0;
  }

  #look(): Promise<Pick<StoredResumePoint, 'at' | 'mark'> | null> {
    return this.#points.findOne({ _id: this.#names.resumePoint }, { projection: { at: 1, mark: 1 } });
  }
}

const nothing = (): void => undefined;
