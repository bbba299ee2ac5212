import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

/** What there is to read, up to a limit: the stream itself has only a few at hand, and fetches the next while the event loop turns. */
export async function gathered<T>(stream: Readable, limit: number): Promise<T[]> {
  const items: T[] = [];
  for (let before = -1; items.length > before && items.length < limit; await turn()) {
    before = items.length;
    for (let item: T | null = stream.read(); item !== null; item = stream.read()) items.push(item);
  }
  return items;
}

/** Waits until there is something to read, or nothing will come any more. */
export function readable(stream: Readable): Promise<void> {
  if (stream.destroyed || stream.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('readable', done).off('end', done).off('close', done);
      resolve();
    };
    stream.on('readable', done).on('end', done).on('close', done);
  });
}

const HISTORY_LOST = new Set([280, 286]);

/** Whether MongoDB's log does not reach back to where a stream was to begin. */
export const isHistoryLost = (error: unknown): boolean =>
  HISTORY_LOST.has(Number((error as { code?: unknown } | undefined)?.code));
