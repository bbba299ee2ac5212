import { type DocumentEvent, eventSeenBy } from '../../model/entity/event.ts';
import type { EventFilter } from '../../store/events/event-log.ts';
import type { EventTail } from '../../store/events/event-tail.ts';

/** The workspaces that a tenant declined; their events are left out, except from the stream of that workspace alone. */
export type Declined = () => Promise<readonly string[]>;

/** Reads the log onward from a position: from memory as far as that reaches back, otherwise from MongoDB. */
export class EventReader {
  readonly #tail: EventTail;
  readonly #filter: EventFilter;
  readonly #declined: Declined;
  #place: number;

  constructor(tail: EventTail, filter: EventFilter, { place, declined }: { place: number; declined: Declined }) {
    this.#tail = tail;
    this.#filter = filter;
    this.#place = place;
    this.#declined = declined;
  }

  /** The position: every event up to this one has been read. */
  get place(): number {
    return this.#place;
  }

  /** The next events, at most `limit`; none when the end of what this process knows was reached. */
  async read(limit: number): Promise<readonly DocumentEvent[]> {
    const atHand = this.#tail.since(this.#place);
    if (!atHand) return this.readLog(limit);
    const except = await this.#except();
    const fitting = atHand.filter((event) => this.#fits(event, except));
    const events = fitting.slice(0, limit);
    const last = events.length < fitting.length ? events.at(-1) : atHand.at(-1);
    this.#place = last?.sequence ?? this.#place;
    return this.#seen(events);
  }

  /** The same from MongoDB, whatever is in memory. */
  async readLog(limit: number): Promise<readonly DocumentEvent[]> {
    const except = await this.#except();
    const { events, reaches } = await this.#tail.log.read(this.#place, limit, { ...this.#filter, except });
    this.#place = reaches;
    return this.#seen(events);
  }

  #seen(events: readonly DocumentEvent[]): readonly DocumentEvent[] {
    return events.map((event) => eventSeenBy(this.#filter.readers, event));
  }

  async #except(): Promise<readonly string[]> {
    return this.#filter.workspace ? [] : this.#declined();
  }

  #fits({ readers, workspace, type }: DocumentEvent, except: readonly string[]): boolean {
    const { readers: tenant, workspace: wanted, types } = this.#filter;
    if (!readers.includes(tenant) || (wanted && workspace !== wanted)) return false;
    if (workspace !== null && except.includes(workspace)) return false;
    return !types || types.includes(type);
  }
}
