import { ServiceError, VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { QUANTITY_RESULT_TYPE } from '../../model/document-types/quantity-result.ts';
import { SPECIFICATION_TYPE } from '../../model/document-types/specification.ts';
import { TIMELOG_TYPE } from '../../model/document-types/timelog.ts';
import { isBefore } from '../../model/instant.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { duplicateKeyIndex } from '../../store/duplicate-key.ts';
import { UNIQUE } from '../../store/indexes/indexes.ts';

/** What a document type requires beyond its JSON Schema. */
export interface DocumentRules {
  /** Violations between members of one body. */
  readonly violations: (body: JsonObject) => Violation[];
  /** A value that must be unique among the workspace's documents of the type, enforced by a unique index. */
  readonly unique: (body: JsonObject) => string | undefined;
  /** The error for a duplicate. */
  readonly taken: (body: JsonObject) => ServiceError;
}

const NONE: DocumentRules = {
  violations: () => [],
  unique: () => undefined,
  taken: () => new ServiceError('CONFLICT', 'Another document has what may be there once.'),
};

const RULES: Readonly<Record<string, Partial<DocumentRules>>> = {
  [TIMELOG_TYPE]: { violations: endsBeforeStart },
  [SPECIFICATION_TYPE]: { violations: specificationViolations },
  [QUANTITY_RESULT_TYPE]: {
    unique: ({ parent, direction }) =>
      typeof parent === 'string' && typeof direction === 'string' ? `${parent.toLowerCase()} ${direction}` : undefined,
    taken: ({ parent, direction }) =>
      new ServiceError(
        'DUPLICATE_DIRECTION',
        `The job ${parent} has a quantity result for the direction ${direction}.`,
      ),
  },
};

/** The rules of a document type (contract §5). */
export const rulesOf = (type: string): DocumentRules => ({ ...NONE, ...RULES[type] });

/** Replaces a write's duplicate key error with the error of its document type; rethrows any other error. */
export function mapDuplicateKey(rules: DocumentRules, body: JsonObject) {
  return (error: unknown): never => {
    throw duplicateKeyIndex(error) === UNIQUE.documentUnique ? rules.taken(body) : error;
  };
}

function endsBeforeStart({ start, end }: JsonObject): Violation[] {
  if (typeof start !== 'string' || typeof end !== 'string' || !isBefore(end, start)) return [];
  return [{ path: '/end', message: `must not be before the start, ${start}.` }];
}

/** A specification has no parent; each of its tests is named, and no minimum exceeds its maximum. */
function specificationViolations({ parent = null, tests }: JsonObject): Violation[] {
  const violations: Violation[] = [];
  if (parent !== null)
    violations.push({ path: '/parent', message: 'must be left out: a specification has no parent.' });
  const listed = Array.isArray(tests) ? tests : [];
  for (const [index, limits] of listed.entries()) {
    if (violations.length >= VIOLATIONS_SOUGHT) break;
    if (!isObject(limits)) continue;
    const { test, minimum, maximum } = limits;
    if (test === null) violations.push({ path: `/tests/${index}/test`, message: 'is required.' });
    if (typeof minimum === 'number' && typeof maximum === 'number' && minimum > maximum) {
      violations.push({ path: `/tests/${index}/minimum`, message: `must not be above the maximum, ${maximum}.` });
    }
  }
  return violations;
}
