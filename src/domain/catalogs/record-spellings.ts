import type { Entity } from '../../model/entity/entity.ts';

/** What a catalog record calls its item: its name, then its xref. */
export const spellingsOf = (record: Entity): string[] =>
  [record.at('name'), record.at('xref')].filter((text) => typeof text === 'string');
