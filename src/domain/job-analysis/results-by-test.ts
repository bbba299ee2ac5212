import type { Entity } from '../../model/entity/entity.ts';
import type { Decimal } from '../analysis/decimal.ts';
import { inOrder, testedAt } from '../analysis/quality-summary.ts';
import { qualityValue } from '../analysis/quality-value.ts';
import type { LaboratoryResult } from '../analysis/specification/conformity.ts';
import type { QualityFacts } from './job-facts.ts';
import type { KnownItems } from './known-items.ts';
import { fittingKeys, misfit, type Scope, scopeKey } from './specified-tests.ts';

/** A result as a specification sees it; the reason says why it is no number. */
interface SpecifiedResult {
  readonly scope: Scope;
  readonly number: Decimal | undefined;
  readonly reason: string;
}

/** A numeric result with its entity. */
type Usable = LaboratoryResult & { readonly entity: Entity };

const NONE: readonly Usable[] = [];

/** The results of one test at one sample location, oldest first. */
export class ResultsAtPlace {
  readonly location: string | null;
  readonly #first: SpecifiedResult;
  readonly #byScope = new Map<string, Usable[]>();

  constructor(location: string | undefined, first: SpecifiedResult) {
    this.location = location ?? null;
    this.#first = first;
  }

  add(result: SpecifiedResult, usable: Usable): void {
    for (const key of fittingKeys(result.scope)) {
      const some = this.#byScope.get(key);
      if (some) some.push(usable);
      else this.#byScope.set(key, [usable]);
    }
  }

  /** The numeric results of that scope: the same list each time. */
  within(scope: Scope): readonly Usable[] {
    return this.#byScope.get(scopeKey(scope)) ?? NONE;
  }

  /** Why the first result cannot be held against limits of that scope. */
  whyUnusable(scope: Scope): string {
    return misfit(this.#first.scope, scope) ?? this.#first.reason;
  }
}

/** The results of tests that were performed, by test and then by sample location in lower case. */
export type ResultsByTest = ReadonlyMap<string | undefined, ReadonlyMap<string, ResultsAtPlace>>;

/** The results of a job's tests; `known` has learned their methods and units. */
export function resultsByTest(all: QualityFacts['all'], known: KnownItems): ResultsByTest {
  const found = new Map<string | undefined, Map<string, ResultsAtPlace>>();
  for (const fact of inOrder(all)) {
    const { entity, test, location, isPerformed } = fact;
    if (isPerformed === false) continue;
    const result = specifiedResult(entity, known);
    const places = found.get(test) ?? new Map<string, ResultsAtPlace>();
    found.set(test, places);
    const place = location?.trim().toLowerCase() ?? '';
    const at = places.get(place) ?? new ResultsAtPlace(location, result);
    places.set(place, at);
    const { number: value, scope } = result;
    const [unit, method] = [scope.uom, scope.method];
    if (!value) continue;
    const [laboratory, isPreliminary] = [laboratoryOf(entity), fact.status === 'preliminary'];
    at.add(result, { entity, laboratory, isPreliminary, testedAt: testedAt(fact), value, unit, method });
  }
  return found;
}

/** `known` has learned the method and unit. */
export function specifiedResult(result: Entity, known: KnownItems): SpecifiedResult {
  const { exact, bound, reason } = qualityValue(result.at('result'), result.at('resultOperator'));
  return {
    scope: { method: known.groupOf(result.at('method')), uom: known.groupOf(result.at('uom')) },
    number: exact ?? undefined,
    reason: reason ?? (bound === null ? '' : 'The result is a bound, not a number.'),
  };
}

const laboratoryOf = (result: Entity): string =>
  String(result.at('laboratory') ?? '')
    .trim()
    .toLowerCase();
