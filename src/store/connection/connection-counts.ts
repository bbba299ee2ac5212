import type { MongoClient } from 'mongodb';

/** The connections of one client to MongoDB, without those of its heartbeats. */
export class ConnectionCounts {
  #open = 0;
  #used = 0;

  constructor(client: MongoClient) {
    client.on('connectionCreated', () => void this.#open++);
    client.on('connectionClosed', () => void this.#open--);
    client.on('connectionCheckedOut', () => void this.#used++);
    client.on('connectionCheckedIn', () => void this.#used--);
  }

  get open(): number {
    return this.#open;
  }

  /** Those that carry a command at the moment. */
  get used(): number {
    return this.#used;
  }
}
