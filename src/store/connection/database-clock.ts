import type { MongoClient } from 'mongodb';
import type { OutageLog } from './database-watch.ts';

/** A clock of this machine that is within this of MongoDB's is right: nobody needs to know it better. */
const TOLERATED_MS = 1_000;
/** A process that was too busy to hear a heartbeat takes MongoDB for slow: the quickest of so many counts. */
const HEARTBEATS_HEARD = 5;
/** Heartbeats that come closer to each other have waited while the process stood still: all of them count as one. */
const TOGETHER_MS = 200;

/**
 * The time for what other gateways compare with theirs: by this machine's clock, or by that of MongoDB's primary, which tells it
 * with its heartbeats, where they are more than a second apart.
 */
export class DatabaseClock {
  readonly #log: OutageLog | undefined;
  /** By how much MongoDB's time was more than performance.now(), lately. */
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

  /** By how much this machine's clock is ahead of MongoDB's; 0 before that was heard. */
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
