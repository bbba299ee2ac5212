import { VOYAGES } from '../../model/document-types/job.ts';

const text = { bsonType: 'string' };
const texts = { bsonType: 'array', items: text };
const object = (required: readonly string[], properties: object) => ({ bsonType: 'object', required, properties });
const listOf = (items: object) => ({ bsonType: 'array', items });

const findings = listOf(object(['rule', 'document'], { rule: text, document: text }));

/** What this version can read of a kept audit (kept-audit.ts), as a JSON Schema of MongoDB. */
export const AUDIT_FORM = object(['workspace', 'readers', 'created_at', 'n', 'findings'], {
  workspace: text,
  readers: texts,
  created_at: { bsonType: 'date' },
  n: { bsonType: 'number' },
  findings,
  first: text,
  appeared: findings,
  settled: findings,
  product: text,
  percentages: listOf(
    object(['name', 'value', 'isUnusual'], {
      name: text,
      value: { bsonType: 'number' },
      isUnusual: { bsonType: 'bool' },
    }),
  ),
  specification: text,
  vessels: texts,
  voyage: {
    anyOf: [text, object(['kind', 'share'], { kind: { enum: [...VOYAGES] }, share: text, ratio: text })],
  },
  compared: { enum: [true] },
});
