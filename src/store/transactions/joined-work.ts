import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Turns } from './turns.ts';

/** How long those who came later wait for what is being done for others. */
const PATIENCE_MS = 25;

interface Batch<M, R> {
  readonly members: M[];
  readonly done: Promise<R>;
}

/**
 * Does the same work once for several members that are given in the same turn of the event loop, or while it is being done for
 * earlier ones, which it waits for, though not long.
 */
export class JoinedWork<M, R> {
  readonly #work: (members: readonly M[]) => Promise<R>;
  readonly #most: number;
  readonly #turns = new Turns();
  readonly #open = new Map<string, Batch<M, R>>();

  /** The work is done for `most` members at once at most. */
  constructor(most: number, work: (members: readonly M[]) => Promise<R>) {
    this.#most = most;
    this.#work = work;
  }

  /** What the work results in for all members of one place that it is done for, the given one among them. */
  with(place: string, member: M): Promise<R> {
    const batch = this.#open.get(place) ?? this.#begin(place);
    batch.members.push(member);
    if (batch.members.length === this.#most) this.#open.delete(place);
    return batch.done;
  }

  #begin(place: string): Batch<M, R> {
    const members: M[] = [];
    const work = async (): Promise<R> => {
      await endOfTurn();
      if (this.#open.get(place) === batch) this.#open.delete(place);
      return this.#work(members);
    };
    const batch: Batch<M, R> = { members, done: this.#turns.run(place, work, { patienceMs: PATIENCE_MS }) };
    this.#open.set(place, batch);
    return batch;
  }
}
