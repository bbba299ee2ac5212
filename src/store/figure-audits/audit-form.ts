import { VOYAGES } from '../../model/document-types/job.ts';
import { date, listOf, number, objectWith, text, texts } from '../bson/bson-schema.ts';

const findings = listOf(objectWith(['rule', 'document'], { rule: text, document: text }));

/** What this version can read of a kept audit (kept-audit.ts), as a JSON Schema of MongoDB. */
export const AUDIT_FORM = objectWith(['workspace', 'readers', 'created_at', 'n', 'findings'], {
  workspace: text,
  readers: texts,
  created_at: date,
  n: number,
  findings,
  first: text,
  appeared: findings,
  settled: findings,
  product: text,
  percentages: listOf(
    objectWith(['name', 'value', 'isUnusual'], {
      name: text,
      value: number,
      isUnusual: { bsonType: 'bool' },
    }),
  ),
  specification: text,
  vessels: texts,
  voyage: {
    anyOf: [text, objectWith(['kind', 'share'], { kind: { enum: [...VOYAGES] }, share: text, ratio: text })],
  },
  compared: { enum: [true] },
});
