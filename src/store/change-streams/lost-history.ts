const HISTORY_LOST = new Set([280, 286]);

/** Whether MongoDB's log does not reach back to where a stream was to begin. */
export const isHistoryLost = (error: unknown): boolean =>
  HISTORY_LOST.has(Number((error as { code?: unknown } | undefined)?.code));
