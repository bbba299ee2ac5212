import type { MongoClient } from 'mongodb';

/** With none taken for so long, those that are in use hang. */
const STUCK_MS = 250;

/** The connections of one client to MongoDB, without those of its heartbeats. */
export class ConnectionCounts {
  /** How many there may be. */
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

  /** Those that carry a command at the moment. */
  get used(): number {
    return this.#used;
  }

  /** Whether all of them hang, so that what has none waits. */
  get areStuck(): boolean {
    return this.#used >= this.most && performance.now() - this.#takenAt >= STUCK_MS;
  }
}
