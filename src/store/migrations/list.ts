import { acceptedWorkspaces } from './accepted-workspaces.ts';
import { countedAnew } from './counted-anew.ts';
import { keptStatistics } from './kept-statistics.ts';
import { keysBesideBodies } from './keys-beside-bodies.ts';
import type { Migration } from './migration.ts';
import { partsOfTexts } from './parts-of-texts.ts';
import { senders } from './senders.ts';
import { sumsByRecord } from './sums-by-record.ts';
import { visibleNames } from './visible-names.ts';

/**
 * Every migration, in order: the first one makes form 1 of form 0, and so on. One that has been released is never changed
 * or removed; a new one is added at the end.
 */
export const MIGRATIONS: readonly Migration[] = [
  keysBesideBodies,
  acceptedWorkspaces,
  keysBesideBodies, // leap seconds were read as the second before, and are the next one now
  senders,
  keptStatistics,
  partsOfTexts,
  sumsByRecord,
  visibleNames,
  countedAnew, // what a job adds has changed: by which vessels it is found, how a long status is cut, which figures its losses are of
];

/** The number of the stored form that this version reads and writes. */
export const FORM = MIGRATIONS.length;
