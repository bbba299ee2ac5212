import { type DocumentEvent, eventSeenBy } from '../../model/entity/event.ts';
import type { TimeLimit } from '../../store/entities/query.ts';
import type { EventTail } from '../../store/events/event-tail.ts';
import type { EventFilter } from '../../store/events/selected-events.ts';
import { historyLost } from './place.ts';

/**
 * The workspaces that a tenant has declined, as of a moment ago or after a given `performance.now()`; their events are left out, except
 * from the stream of that workspace alone.
 */
type Declined = (after?: number) => Promise<readonly string[]>;

/** Reads the log forward from a position: from memory as far back as that reaches, otherwise from MongoDB. */
export class EventReader {
  readonly #tail: EventTail;
  readonly #filter: EventFilter;
  readonly #declined: Declined;
  #place: number;
  #isBehind = false;

  constructor(tail: EventTail, filter: EventFilter, { place, declined }: { place: number; declined: Declined }) {
    this.#tail = tail;
    this.#filter = filter;
    this.#place = place;
    this.#declined = declined;
  }

  /** The position: all events up to and including this one have been read. */
  get place(): number {
    return this.#place;
  }

  /** Whether the log had more than the last read looked at. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * The next events, at most `limit`; none at the end of what this process knows, and none if all that it looked at is left out. HISTORY_LOST
   * if events after the position have expired.
   */
  async read(limit: number, time?: TimeLimit): Promise<readonly DocumentEvent[]> {
    const atHand = this.#tail.since(this.#place);
    if (!atHand) return this.readLog(limit, time);
    const ours = atHand.filter((event) => this.#fits(event));
    const read = performance.now();
    const before = await this.#declinedBefore();
    const isPassed = ours.some((event) => isIn(before, event));
    const except = isPassed ? await this.#declined(read) : before;
    const fitting = ours.filter((event) => !isIn(except, event));
    const events = fitting.slice(0, limit);
    const last = events.length < fitting.length ? events.at(-1) : atHand.at(-1);
    this.#place = last?.sequence ?? this.#place;
    this.#isBehind = events.length < fitting.length;
    return this.#seen(events);
  }

  /** The same from MongoDB, whatever is in memory. HISTORY_LOST if events after the position have expired. */
  async readLog(limit: number, time?: TimeLimit): Promise<readonly DocumentEvent[]> {
    for (let except = await this.#declinedBefore(); ; ) {
      const wanted = { ...this.#filter, except };
      const { events, reaches, isAtEnd, isWhole } = await this.#tail.log.read(this.#place, limit, wanted, time);
      if (!isWhole) throw await historyLost(this.#tail, this.#place);
      const still = except.length === 0 ? except : await this.#declined(performance.now());
      if (new Set(except).isSubsetOf(new Set(still))) {
        this.#place = reaches;
        this.#isBehind = !isAtEnd;
        return this.#seen(events);
      }
      except = still;
    }
  }

  #seen(events: readonly DocumentEvent[]): readonly DocumentEvent[] {
    return events.map((event) => eventSeenBy(this.#filter.readers, event));
  }

  /** As of a moment ago: an event is skipped for good only if its workspace is still declined. */
  async #declinedBefore(): Promise<readonly string[]> {
    return this.#filter.workspace ? [] : this.#declined();
  }

  #fits({ readers, workspace, type }: DocumentEvent): boolean {
    const { readers: tenant, workspace: wanted, types } = this.#filter;
    if (!readers.includes(tenant) || (wanted && workspace !== wanted)) return false;
    return !types || types.includes(type);
  }
}

const isIn = (workspaces: readonly string[], { workspace }: DocumentEvent): boolean =>
  workspace !== null && workspaces.includes(workspace);
