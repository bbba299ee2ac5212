import type { Erased } from '../store/entities/erasures.ts';
import type { Stores } from '../store/stores.ts';
import { eraseBelow } from './documents/tree.ts';
import { eraseLeftBehind } from './workspaces/left-behind.ts';

const PAUSE_MS = 15_000;

/** Who hears of a sweep. */
export interface ErasureLog {
  warn(fields: object, message: string): void;
}

/**
 * Looks again, now and then, at what was erased, for what was put below it by a request that died before it could see that; the function
 * that is returned ends it, and waits for a look that is under way.
 */
export function startErasureSweep(stores: Stores, log: ErasureLog): () => Promise<void> {
  const look = (): Promise<void> =>
    stores.erasures
      .look((erased) => eraseLeft(stores, erased))
      .then(
        () => undefined,
        (err: unknown) => log.warn({ err }, 'the look below what was deleted failed; it is tried again'),
      );
  let running = look();
  const timer = setInterval(() => {
    running = running.then(look);
  }, PAUSE_MS).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

/** Erases what stands below entities that are gone; what is there again is let alone. */
export async function eraseLeft(stores: Stores, { noun, ids, workspace }: Erased): Promise<void> {
  if (noun === 'workspace') return eraseLeftBehind(stores, String(workspace));
  const back = new Set((await stores.documents.byIds(ids)).flatMap((document) => document?.id ?? []));
  const gone = ids.filter((id) => !back.has(id));
  if (gone.length > 0) await eraseBelow(stores, { ids: gone, workspace });
}
