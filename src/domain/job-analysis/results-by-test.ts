import type { Entity } from '../../model/entity/entity.ts';
import { Decimal } from '../analysis/decimal.ts';
import { inOrder, testedAt } from '../analysis/quality-summary.ts';
import { qualityValue } from '../analysis/quality-value.ts';
import { IS_BOUND, type LaboratoryResult } from '../analysis/specification/conformity.ts';
import type { QualityFacts } from './job-facts.ts';
import type { KnownItems } from './known-items.ts';
import { fittingKeys, misfit, type Scope, scopeKey } from './specified-tests.ts';

/** A result as a specification sees it; the reason says why it is no number. */
interface SpecifiedResult {
  readonly scope: Scope;
  readonly number: Decimal | undefined;
  readonly bound: number | null;
  readonly reason: string;
}

/** A result that is a number or a bound, with its entity. */
type Usable = LaboratoryResult & { readonly entity: Entity };

const NONE: readonly Usable[] = [];

/** The results of one test at one sample location, oldest first. */
export class ResultsAtPlace {
  readonly location: string | null;
  readonly #first: SpecifiedResult;
  readonly #byScope = new Map<string, Usable[]>();
  readonly #numbers = new Map<string, Usable[]>();

  constructor(location: string | undefined, first: SpecifiedResult) {
    this.location = location ?? null;
    this.#first = first;
  }

  add(result: SpecifiedResult, usable: Usable): void {
    for (const key of fittingKeys(result.scope)) {
      pushTo(this.#byScope, key, usable);
      if (!usable.isBound) pushTo(this.#numbers, key, usable);
    }
  }

  /** The numbers and bounds of that scope: the same list each time. */
  within(scope: Scope): readonly Usable[] {
    return this.#byScope.get(scopeKey(scope)) ?? NONE;
  }

  /** The numbers alone, in the same way. */
  numbersWithin(scope: Scope): readonly Usable[] {
    return this.#numbers.get(scopeKey(scope)) ?? NONE;
  }

  /** Why the first result cannot be held against limits of that scope. */
  whyUnusable(scope: Scope): string {
    return misfit(this.#first.scope, scope) ?? this.#first.reason;
  }
}

function pushTo(lists: Map<string, Usable[]>, key: string, usable: Usable): void {
  const some = lists.get(key);
  if (some) some.push(usable);
  else lists.set(key, [usable]);
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
    const { number, bound, scope } = result;
    const value = number ?? (bound === null ? undefined : new Decimal(bound));
    if (!value) continue;
    at.add(result, {
      ...{ entity, value, isBound: number === undefined, unit: scope.uom, method: scope.method },
      ...{ laboratory: laboratoryOf(entity), isPreliminary: fact.status === 'preliminary', testedAt: testedAt(fact) },
    });
  }
  return found;
}

/** `known` has learned the method and unit. */
export function specifiedResult(result: Entity, known: KnownItems): SpecifiedResult {
  const { exact, bound, reason } = qualityValue(result.at('result'), result.at('resultOperator'));
  return {
    scope: { method: known.groupOf(result.at('method')), uom: known.groupOf(result.at('uom')) },
    number: exact ?? undefined,
    bound,
    reason: reason ?? (bound === null ? '' : IS_BOUND),
  };
}

const laboratoryOf = (result: Entity): string =>
  String(result.at('laboratory') ?? '')
    .trim()
    .toLowerCase();
