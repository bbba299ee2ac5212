import type { ClientSession, Collection, Filter } from 'mongodb';
import type { DocumentEvent } from '../../model/entity/event.ts';
import { longReadsOf } from '../connection/long-reads.ts';
import type { TimeLimit } from '../entities/query.ts';
import { indexOf } from '../indexes/indexes.ts';

/** An event, as stored. */
export interface StoredEvent extends DocumentEvent {
  /** When MongoDB removes it. */
  readonly expires_at: Date;
}

/** Selects events a tenant may see: of one workspace or all, of some types or all. */
export interface EventFilter {
  readonly readers: string;
  readonly workspace?: string | undefined;
  readonly types?: readonly string[] | undefined;
  /** Workspaces to exclude. */
  readonly except?: readonly string[] | undefined;
}

/** Selected events, and the position up to which a stretch has been read. */
export interface ReadEvents {
  readonly events: readonly DocumentEvent[];
  readonly reaches: number;
}

/** The events that a read may look at: those after one, up to another. */
interface Stretch {
  readonly after: number;
  readonly to: number;
}

interface ReadOptions extends TimeLimit {
  readonly session: ClientSession;
}

/** The most events of a workspace or a reader that one read looks through: no index has what else is filtered by. */
const LOOKED_THROUGH = 10_000;
const IN_ORDER = { sequence: 1 } as const;

/** Reads of selected events, none of which looks through the whole log. */
export class SelectedEvents {
  readonly #collection: Collection<StoredEvent>;

  constructor(collection: Collection<StoredEvent>) {
    this.#collection = collection;
  }

  /**
   * At most `limit` selected events of a stretch. Of a long one, only the next 10,000 events of the workspace or the reader are looked
   * through, in the reader's turn among long reads; TIMED_OUT if that does not come in time.
   */
  read(whole: Stretch, limit: number, wanted: EventFilter, { session, ...time }: ReadOptions): Promise<ReadEvents> {
    const readTo = async (to: number, left: TimeLimit): Promise<ReadEvents> => {
      const events = await this.#find({ ...whole, to }, limit, wanted, { ...left, session });
      const last = events.at(-1)?.sequence ?? whole.after;
      return { events, reaches: events.length < limit ? Math.max(whole.after, to) : last };
    };
    if (whole.to - whole.after <= LOOKED_THROUGH) return readTo(whole.to, time);
    return longReadsOf(this.#collection.db).run(wanted.readers, time, async (left) =>
      readTo(await this.#lookedThrough(whole, wanted, { ...left, session }), left),
    );
  }

  #find(stretch: Stretch, limit: number, wanted: EventFilter, options: ReadOptions): Promise<DocumentEvent[]> {
    const { readers, workspace, types, except = [] } = wanted;
    const filter: Filter<StoredEvent> = {
      readers,
      ...(workspace ? { workspace } : except.length > 0 && { workspace: { $nin: [...except] } }),
      ...(types && { type: { $in: [...types] } }),
      ...within(stretch),
    };
    return this.#collection
      .find(filter, { ...options, ...hintFor(wanted), projection: { expires_at: 0 }, batchSize: limit + 1 })
      .sort(IN_ORDER)
      .limit(limit)
      .toArray();
  }

  /** How far to look: read from an index alone. */
  async #lookedThrough(whole: Stretch, wanted: EventFilter, options: ReadOptions): Promise<number> {
    const [last] = await this.#collection
      .find(
        { ...indexed(wanted), ...within(whole) },
        { ...options, ...hintFor(wanted), projection: { _id: 0, sequence: 1 } },
      )
      .sort(IN_ORDER)
      .skip(LOOKED_THROUGH - 1)
      .limit(1)
      .toArray();
    return last?.sequence ?? whole.to;
  }
}

const within = ({ after, to }: Stretch) => ({ sequence: { $gt: after, $lte: to } });

/** What an index selects by. */
const indexed = ({ workspace, readers }: EventFilter) => (workspace ? { workspace } : { readers });

/** The index whose events are counted must also be the one that is read by. */
function hintFor(wanted: EventFilter): { readonly hint?: string } {
  const hint = indexOf('events', indexed(wanted), IN_ORDER);
  return hint === undefined ? {} : { hint };
}
