import { nameKey } from '../model/catalogs.ts';
import type { Condition } from '../store/query.ts';
import type { Asker } from './asker.ts';
import type { ThroughCatalog } from './filters.ts';

/** Turns filters by a record's xref or name into filters by the ids of the records that have it (contract §4: exact). */
export function throughCatalog(asker: Asker, place: { readonly workspace?: string; readonly readers?: string }) {
  return (filters: readonly ThroughCatalog[]): Promise<readonly Condition[]> =>
    Promise.all(filters.map((filter) => conditionOf(asker, place, filter)));
}

async function conditionOf(
  asker: Asker,
  place: { readonly workspace?: string; readonly readers?: string },
  { field, member, anyOf }: ThroughCatalog,
): Promise<Condition> {
  const texts = anyOf.filter((text) => text !== null);
  const named =
    member === 'name'
      ? { name_key: { $in: texts.map(nameKey) }, 'body.name': { $in: texts } }
      : { xref: { $in: texts } };
  const records = await asker.read.catalogRecords.findMany({ ...place, xtype: field.catalog, ...named } as never);
  const ids: (string | null)[] = records.map(({ id }) => id);
  return { stored: field.stored, anyOf: anyOf.includes(null) ? [...ids, null] : ids };
}
