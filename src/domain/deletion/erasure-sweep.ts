import type { Erased } from '../../store/entities/erasures.ts';
import { startPeriodicSweep } from '../../store/periodic-sweep.ts';
import type { Stores } from '../../store/stores.ts';
import { eraseLeftBehind } from './erase-left-behind.ts';
import { eraseLinksLeft } from './erase-links.ts';
import { eraseBelow, hasAnyBelow } from './erase-tree.ts';

const PAUSE_MS = 15_000;

/** The logger of the sweep. */
interface ErasureLog {
  warn(fields: object, message: string): void;
}

/**
 * Periodically erases what requests that died left below entities deleted meanwhile, enforces the retention limit on versions that a
 * deletion did not fit in, and removes the deliveries of deleted webhooks. The returned function stops this; see `startPeriodicSweep`.
 */
export function startErasureSweep(stores: Stores, log: ErasureLog): () => Promise<void> {
  return startPeriodicSweep({
    everyMs: PAUSE_MS,
    sweep: () => sweepOnce(stores),
    failed: (err) => log.warn({ err }, 'the sweep below deleted entities failed and will be repeated'),
  });
}

/** Completes the work that deletions have left; whatever fails keeps nothing else from being done. */
async function sweepOnce(stores: Stores): Promise<void> {
  const { erasures, tombstones, deliveries } = stores;
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  await erasures.runDue((erased) => eraseLeft(stores, erased)).catch(failed);
  await tombstones.limitVersionsLeft().catch(failed);
  await deliveries.removeOfDeleted().catch(failed);
  if (failures.length > 0) throw failures[0];
}

/** Erases what is left below deleted entities; recreated entities keep it. */
export async function eraseLeft(stores: Stores, erased: readonly Erased[]): Promise<void> {
  for (const { workspace } of erased.filter(({ noun }) => noun === 'workspace')) {
    await eraseLeftBehind(stores, String(workspace));
  }
  for (const records of erased.filter(({ noun }) => noun === 'records')) await eraseLinksLeft(stores, records);
  const documents = erased.filter(({ noun }) => noun === 'documents');
  for (const [workspace, some] of Map.groupBy(documents, (one) => one.workspace)) {
    // Most have nothing below them, which one query shows.
    if (!(await hasAnyBelow(stores, { ids: some.flatMap(({ ids }) => ids), workspace }))) continue;
    for (const { ids } of some) await eraseBelow(stores, { ids, workspace });
  }
}
