import type { Db, Document, Filter } from 'mongodb';
import { date, listOf, number, objectWith, text, texts } from '../bson/bson-schema.ts';
import { FACTS, ROLLUPS } from './apply-facts.ts';

const decimal = { bsonType: 'decimal' };

const counted = { facet: text, key: text, n: number, x: number, y: number, z: number, a: decimal, b: decimal };
const placed = { workspace: text, readers: texts };
const cells = listOf(objectWith(['facet', 'key', 'n'], counted));

/** What this version can read of kept statistics, as JSON Schemas of MongoDB. */
const FORMS = {
  [FACTS]: objectWith(['workspace', 'readers', 'created_at', 'of', 'cells'], {
    ...placed,
    created_at: date,
    of: texts,
    delay: number,
    cells,
  }),
  [ROLLUPS]: objectWith(['workspace', 'readers', 'of', 'unit', 'start', 'facet', 'key', 'n'], {
    ...placed,
    ...counted,
    of: text,
    unit: { enum: ['day', 'month'] },
    start: date,
  }),
};

/** Matches, by collection, kept statistics of a form that no version writes, such as those changed by hand. */
export const MALFORMED: ReadonlyMap<string, Filter<Document>> = new Map(
  Object.entries(FORMS).map(([name, form]) => [name, { $nor: [{ $jsonSchema: form }] }]),
);

/** Forgets kept statistics of a form that no version writes: a rebuild that met one would fail. */
export async function forgetMalformed(db: Db): Promise<void> {
  for (const [name, filter] of MALFORMED) await db.collection(name).deleteMany(filter);
}
