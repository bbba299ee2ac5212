import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Turns } from './turns.ts';

/** How long later members wait for the batch before theirs. */
const PATIENCE_MS = 25;

interface Batch<M, R> {
  readonly members: M[];
  readonly done: Promise<R>;
}

/**
 * Does work once for a batch of members: those added in the same turn of the event loop, or while an earlier batch is in
 * progress, which the next one waits for, but not for long.
 */
export class JoinedWork<M, R> {
  readonly #work: (members: readonly M[]) => Promise<R>;
  readonly #most: number;
  readonly #turns = new Turns();
  readonly #open = new Map<string, Batch<M, R>>();

  /** A batch has at most `most` members. */
  constructor(most: number, work: (members: readonly M[]) => Promise<R>) {
    this.#most = most;
    this.#work = work;
  }

  /** The result of the work for a batch of members of one place, including the given one. */
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
