import type { MongoClient } from 'mongodb';
import type { OutageLog } from './database-watch.ts';

/** This machine's clock counts as right within this distance of MongoDB's: nobody needs more precision. */
const TOLERATED_MS = 1_000;
/** To a process too busy to hear a heartbeat, MongoDB's clock seems slow: the quickest of this many heartbeats counts. */
const HEARTBEATS_HEARD = 5;
/** Heartbeats closer together than this were queued while the process stalled: they count as one. */
const TOGETHER_MS = 200;

/**
 * The time for values that gateways compare with each other: by this machine's clock or, if they are more than a second apart, by
 * that of MongoDB's primary, as reported in its heartbeats.
 */
export class DatabaseClock {
  readonly #log: OutageLog | undefined;
  /** Recent differences between MongoDB's time and performance.now(). */
  readonly #heard: number[] = [];
  #lastHeard = Number.NEGATIVE_INFINITY;
  #isTold = false;

  constructor(client: MongoClient, log?: OutageLog) {
    this.#log = log;
    client.on('serverHeartbeatSucceeded', ({ reply }) => {
      if (reply.isWritablePrimary && reply.localTime instanceof Date) this.#hear(reply.localTime);
    });
  }

  now(): Date {
    const own = Date.now();
    const ahead = this.#aheadMs(own);
    return new Date(Math.abs(ahead) > TOLERATED_MS ? own - ahead : own);
  }

  /** How far this machine's clock is ahead of MongoDB's; 0 until that is known. */
  #aheadMs(own: number): number {
    return this.#heard.length === 0 ? 0 : own - performance.now() - Math.max(...this.#heard);
  }

  #hear(time: Date): void {
    const at = performance.now();
    const hasWaited = at - this.#lastHeard < TOGETHER_MS;
    this.#lastHeard = at;
    const difference = time.getTime() - at;
    this.#heard.push(hasWaited ? Math.max(this.#heard.pop() ?? difference, difference) : difference);
    if (this.#heard.length < HEARTBEATS_HEARD) return;
    if (this.#heard.length > HEARTBEATS_HEARD) this.#heard.shift();
    const ahead = this.#aheadMs(Date.now());
    const isWrong = Math.abs(ahead) > TOLERATED_MS;
    if (isWrong === this.#isTold) return;
    this.#isTold = isWrong;
    const seconds = Math.round(ahead / 1_000);
    if (isWrong) this.#log?.error({ secondsAhead: seconds }, "this machine's clock is wrong: MongoDB's is used");
    else this.#log?.info({}, "this machine's clock is right again");
  }
}
