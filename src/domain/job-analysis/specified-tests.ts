import type { Entity } from '../../model/entity/entity.ts';
import { isObject } from '../../model/json.ts';
import { decimalOf } from '../analysis/decimal.ts';
import { LimitsInOrder } from '../analysis/specification/limits-in-order.ts';
import type { Limits } from '../analysis/specification/verdict.ts';
import type { KnownItems } from './known-items.ts';

/** A method and a unit, each by one key for all its synonyms; undefined where none is named. */
export interface Scope {
  readonly method: string | undefined;
  readonly uom: string | undefined;
}

/** One test of a specification: the records that it names, and its limits. */
export interface SpecifiedTest extends Limits {
  readonly test: unknown;
  readonly method: unknown;
  readonly uom: unknown;
  /** One key for all records that describe the same test. */
  readonly group: string | undefined;
  /** The results that the limits apply to: of any method, or in any unit, where the test names none. */
  readonly scope: Scope;
  /** The place of the test in the specification. */
  readonly at: number;
}

/** The limits of one item that is tested. */
interface LimitsOfTest {
  readonly first: SpecifiedTest;
  readonly byScope: ReadonlyMap<string, LimitsInOrder<SpecifiedTest>>;
}

/** The tests of a specification, and those with a limit by the item that is tested. */
export interface Specified {
  readonly tests: readonly SpecifiedTest[];
  readonly limited: ReadonlyMap<string | undefined, LimitsOfTest>;
}

/** One key for all scopes with the same method and unit. */
export const scopeKey = ({ method = '', uom = '' }: Scope): string => `${method} ${uom}`;

/** The keys of all scopes that results of one scope belong to. */
export const fittingKeys = ({ method, uom }: Scope): ReadonlySet<string> =>
  new Set(
    [method, undefined].flatMap((ofMethod) => [uom, undefined].map((in_) => scopeKey({ method: ofMethod, uom: in_ }))),
  );

/** Why limits do not apply to a result: its method or unit differs. */
export function misfit(result: Scope, limits: Scope): string | undefined {
  const isOther = (member: keyof Scope) => limits[member] !== undefined && limits[member] !== result[member];
  if (isOther('method')) return 'The result is of another method than the limit.';
  return isOther('uom') ? 'The result is in another unit than the limit.' : undefined;
}

/** What a specification says, once the records that it names are known. */
export async function readSpecified(specification: Entity, known: KnownItems): Promise<Specified> {
  const listed = specification.at('tests');
  const found = Array.isArray(listed) ? listed.filter(isObject) : [];
  const named = found.flatMap(({ test, method, uom }) => [test, method, uom]);
  await known.learnGroupsOf(named, specification.workspaceId);
  const tests = found.map(({ test, method, uom, minimum, maximum, reproducibility }, at) => ({
    ...{ test, method, uom, at },
    group: known.groupOf(test),
    scope: { method: known.groupOf(method), uom: known.groupOf(uom) },
    minimum: decimalOf(minimum),
    maximum: decimalOf(maximum),
    reproducibility: decimalOf(reproducibility),
  }));
  const limited = Map.groupBy(
    tests.filter(({ minimum, maximum }) => minimum || maximum),
    ({ group }) => group,
  );
  return { tests, limited: new Map([...limited].map(([group, some]) => [group, limitsOf(some)])) };
}

function limitsOf(some: readonly SpecifiedTest[]): LimitsOfTest {
  const byScope = Map.groupBy(some, ({ scope }) => scopeKey(scope));
  return {
    first: some[0] as SpecifiedTest,
    byScope: new Map(
      [...byScope].map(([key, limits]) => [key, new LimitsInOrder(limits as [SpecifiedTest, ...SpecifiedTest[]])]),
    ),
  };
}
