import type { FailureLog } from '../error-masking.ts';
import type { AnswerRoom } from '../http/rooms/answer-room.ts';
import type { DatabaseWatch } from '../store/connection/database-watch.ts';

/** What every operation runs with; the limits of a subscription are those of the result of one event. */
export interface OperationParts {
  /** The time limit, in milliseconds; 0 for none. A mutation has none. */
  readonly timeoutMs: number;
  /** The maximum size of a result, in bytes. */
  readonly maxAnswerBytes: number;
  /** The maximum cost. */
  readonly maxCost: number;
  /** Where large results wait for room. */
  readonly answerRoom: AnswerRoom;
  readonly log: FailureLog;
  readonly watch: DatabaseWatch;
}
