import { hasCode } from '../connection/error-codes.ts';

/** Whether MongoDB's oplog no longer reaches back to a stream's starting point. */
export const isStreamHistoryLost = (error: unknown): boolean =>
  hasCode(error, 'ChangeStreamFatalError', 'ChangeStreamHistoryLost');
