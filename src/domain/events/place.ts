import { hasErrorCode, invalidInput, ServiceError, throwIfInvalid, type Violation } from '../../errors.ts';
import { ranOut } from '../../store/connection/bounded-writes.ts';
import type { EventTail } from '../../store/events/event-tail.ts';

/** Whether a text has the form of an event id; 0 comes before the first. */
export const isEventId = (text: string): boolean => /^(0|[1-9]\d{0,14})$/.test(text);

/** The violation of an `after` that has not the form of an event id. */
export const placeViolations = (after: string): Violation[] =>
  isEventId(after)
    ? []
    : [badPlace('is not the id of an event, which is a whole number of at most 15 digits without leading zeros.')];

/**
 * The position of an event id. INVALID_INPUT if it is invalid, HISTORY_LOST for a reader away for longer than events are kept;
 * pages without `after` begin with the oldest event.
 */
export async function keptPlace(tail: EventTail, after: string, { mayBeginWithOldest = false } = {}): Promise<number> {
  throwIfInvalid(placeViolations(after));
  const sequence = Number(after);
  let latest = await tail.log.latest();
  // A stalled primary may not know the newest events, which the caller got from its successor.
  if (sequence > latest) latest = await tail.log.latestForCertain().catch(notConfirmed);
  if (sequence > latest) throw invalidInput([badPlace(`is not the id of an event: the newest is ${latest}.`)]);
  if (sequence === latest || (await tail.log.next(sequence)) === sequence + 1) return sequence;
  throw await historyLost(tail, sequence, { mayBeginWithOldest });
}

/** A violation of the argument `after`. */
const badPlace = (message: string): Violation => ({ parameter: 'after', message });

/** Whether a reader was away for longer than events are kept. */
export const isHistoryLost = (error: unknown): boolean => hasErrorCode(error, 'HISTORY_LOST');

/** The error for a reader after whose position events have expired. */
export async function historyLost(
  tail: EventTail,
  sequence: number,
  { mayBeginWithOldest = false } = {},
): Promise<ServiceError> {
  const [oldest, latest] = await Promise.all([tail.log.beginning(), tail.log.latest()]);
  const orOldest =
    mayBeginWithOldest && oldest < latest
      ? `; or leave "after" out to begin with the oldest event that is kept, ${oldest + 1}`
      : '';
  return new ServiceError(
    'HISTORY_LOST',
    `The events that follow ${sequence} are no longer kept. Read the documents again, and continue with after=${latest}, the newest event${orOldest}.`,
  );
}

function notConfirmed(error: unknown): never {
  if (!ranOut(error)) throw error;
  throw new ServiceError('UNAVAILABLE', 'The database does not know who its primary is; try again.', { cause: error });
}
