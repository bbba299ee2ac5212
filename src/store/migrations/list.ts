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
 * Every migration, in order: the first upgrades form 0 to form 1, and so on. A released migration is never changed or removed;
 * new ones are added at the end.
 */
export const MIGRATIONS: readonly Migration[] = [
  keysBesideBodies,
  acceptedWorkspaces,
  keysBesideBodies, // leap seconds used to be read as the second before, and are now read as the next one
  senders,
  keptStatistics,
  partsOfTexts,
  sumsByRecord,
  visibleNames,
  countedAnew, // what a job contributes has changed: the vessels it is found by, how a long status is cut, the figures of its losses
];

/** The number of the stored form that this version reads and writes. */
export const FORM = MIGRATIONS.length;
