import type { MongoClient } from 'mongodb';

/** If no connection was taken for this long, those in use hang. */
const STUCK_MS = 250;

/** The connections of one client to MongoDB, except those for heartbeats. */
export class ConnectionCounts {
  /** The maximum pool size. */
  readonly most: number;
  #open = 0;
  #used = 0;
  #takenAt = 0;

  constructor(client: MongoClient) {
    this.most = client.options.maxPoolSize;
    client.on('connectionCreated', () => void this.#open++);
    client.on('connectionClosed', () => void this.#open--);
    client.on('connectionCheckedOut', () => {
      this.#used++;
      this.#takenAt = performance.now();
    });
    client.on('connectionCheckedIn', () => void this.#used--);
  }

  get open(): number {
    return this.#open;
  }

  /** The connections currently in use. */
  get used(): number {
    return this.#used;
  }

  /** Whether all connections hang, so that anything without one waits. */
  get areStuck(): boolean {
    return this.#used >= this.most && performance.now() - this.#takenAt >= STUCK_MS;
  }
}
