import { ServiceError } from '../../errors.ts';
import type { SynonymGroup } from './synonym-groups.ts';

/** The most records that may be synonyms of each other, directly or through others. */
export const MOST_SYNONYMS = 1_000;
/** The most links among such a group of records. */
export const MOST_LINKS = 10_000;

/** Whether linking two records of these groups merges two groups; throws CONFLICT if the result would be too large. */
export function checkJoined(groups: readonly SynonymGroup[]): boolean {
  const joined = [...new Map(groups.map((group) => [group.ids, group])).values()];
  const isNew = joined.length > 1;
  const records = joined.reduce((sum, { ids }) => sum + ids.length, 0);
  const links = joined.reduce((sum, group) => sum + group.links, 0);
  if (isNew && records > MOST_SYNONYMS) throw tooManySynonyms(records);
  if (links >= MOST_LINKS) {
    throw new ServiceError(
      'CONFLICT',
      `Records that are synonyms of each other may have ${MOST_LINKS} links among them, and these have as many: remove links between records that others connect.`,
    );
  }
  return isNew;
}

/** The error for a link that would make this many records synonyms of each other. */
export const tooManySynonyms = (records: number): ServiceError =>
  new ServiceError(
    'CONFLICT',
    `At most ${MOST_SYNONYMS} records may be synonyms of each other, directly or through others; with this link they would be ${records}.`,
  );
