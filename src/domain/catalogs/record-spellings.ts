import type { Entity } from '../../model/entity/entity.ts';

/** The spellings of a catalog record's item: its name, then its xref. */
export const spellingsOf = (record: Entity): string[] =>
  [record.at('name'), record.at('xref')].filter((text) => typeof text === 'string');
