const HISTORY_LOST = new Set([280, 286]);

/** Whether MongoDB's oplog no longer reaches back to a stream's starting point. */
export const isHistoryLost = (error: unknown): boolean =>
  HISTORY_LOST.has(Number((error as { code?: unknown } | undefined)?.code));
