import { SPECIFICATION_TYPE } from '../../model/document-types/specification.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isObject } from '../../model/json.ts';
import { type Decimal, decimalOf } from '../analysis/decimal.ts';
import { inOrder, testedAt } from '../analysis/quality-summary.ts';
import { qualityValue } from '../analysis/quality-value.ts';
import { assignedValueOf, type Step } from '../analysis/specification/conformity.ts';
import {
  CONFORMITIES,
  type Conformity,
  type Limits,
  marginOf,
  singleJudgement,
} from '../analysis/specification/verdict.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { JobFacts, QualityFacts } from './job-facts.ts';
import type { KnownItems } from './known-items.ts';

/** One test of a specification: the records that it names, and its limits. */
interface SpecifiedTest extends Limits {
  readonly test: unknown;
  readonly method: unknown;
  readonly uom: unknown;
}

/** The tests of a specification, and those with a limit by the item that is tested. */
interface Specified {
  readonly tests: readonly SpecifiedTest[];
  readonly limited: ReadonlyMap<string | undefined, readonly SpecifiedTest[]>;
}

/** The verdict on a single result by the specification of its job. */
export interface SpecificationVerdict {
  readonly conformity: Conformity | null;
  readonly limit: number | null;
  readonly margin: number | null;
  readonly reason: string | null;
}

/** The outcome of a specified test at one sample location. */
export interface TestConformity extends Omit<SpecifiedTest, keyof Limits> {
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly reproducibility: number | null;
  readonly location: string | null;
  readonly results: readonly Entity[];
  readonly assignedValue: number | null;
  readonly step: Step | null;
  readonly conformity: Conformity | null;
  readonly reason: string | null;
}

/** Checks the results of a job against its specification (docs/calculations.md). */
export class SpecificationReader {
  readonly #load: Loaders;
  readonly #facts: JobFacts;
  readonly #known: KnownItems;
  readonly #specified = new WeakMap<Entity, Promise<Specified>>();

  constructor(load: Loaders, facts: JobFacts, known: KnownItems) {
    this.#load = load;
    this.#facts = facts;
    this.#known = known;
  }

  /** The specification that a job names, if it exists. */
  async specificationOf(job: Entity): Promise<Entity | undefined> {
    const id = job.at('specification');
    const found = typeof id === 'string' ? await this.#load.document(id.toLowerCase()) : undefined;
    return found?.type === SPECIFICATION_TYPE && found.workspaceId === job.workspaceId ? found : undefined;
  }

  /** The verdict on one result, by the strictest of the limits that apply to it. */
  async verdict(result: Entity): Promise<SpecificationVerdict> {
    const job = await this.#load.document(result.parentId);
    const specified = job && (await this.#specifiedFor(job));
    if (!specified) return noVerdict(noSpecification(job));
    await this.#learn([result]);
    return this.#judge(result, specified);
  }

  /** The verdicts on many results of one job. */
  async verdicts(job: Entity, results: readonly Entity[]): Promise<ReadonlyMap<Entity, SpecificationVerdict>> {
    const specified = await this.#specifiedFor(job);
    if (!specified) return new Map();
    await this.#learn(results);
    return new Map(results.map((result) => [result, this.#judge(result, specified)]));
  }

  async conformity(job: Entity): Promise<TestConformity[]> {
    const { tests } = (await this.#specifiedFor(job)) ?? {};
    if (!tests) return [];
    const { all } = await this.#facts.quality(job);
    await this.#learn(all.map(({ entity }) => entity));
    const performed = inOrder(all).filter(({ isPerformed }) => isPerformed !== false);
    const byTest = Map.groupBy(performed, ({ test }) => test);
    return tests.flatMap((specified) => {
      const results = byTest.get(this.#known.groupOf(specified.test)) ?? [];
      const places = [...Map.groupBy(results, ({ location }) => location?.trim().toLowerCase() ?? '').values()];
      return (places.length > 0 ? places : [[]]).map((ofOne) => this.#conformityOf(specified, ofOne));
    });
  }

  #conformityOf(specified: SpecifiedTest, results: QualityFacts['all']): TestConformity {
    const usable = results.flatMap((fact) => {
      const value = numericResult(fact.entity);
      const isUsable = value.number && this.#misfit(fact.entity, specified) === undefined;
      if (!isUsable || !value.number) return [];
      const laboratory = String(fact.entity.at('laboratory') ?? '')
        .trim()
        .toLowerCase();
      return [{ entity: fact.entity, laboratory, testedAt: testedAt(fact), value: value.number }];
    });
    const found = assignedValueOf(usable, specified);
    const [first] = results;
    const misfit = first && (this.#misfit(first.entity, specified) ?? numericResult(first.entity).reason);
    const { test, method, uom } = specified;
    return {
      ...{ test, method, uom, location: first?.location ?? null },
      ...{ minimum: numberOf(specified.minimum), maximum: numberOf(specified.maximum) },
      reproducibility: numberOf(specified.reproducibility),
      results: usable.map(({ entity }) => entity),
      assignedValue: numberOf(found.value),
      step: found.step ?? null,
      conformity: found.conformity ?? null,
      reason: (usable.length === 0 ? misfit : undefined) ?? found.reason ?? null,
    };
  }

  /** What a job's specification says, once the records it names are known; undefined if there is none. */
  async #specifiedFor(job: Entity): Promise<Specified | undefined> {
    const specification = await this.specificationOf(job);
    if (!specification) return undefined;
    const specified = this.#specified.get(specification) ?? this.#readSpecified(specification);
    this.#specified.set(specification, specified);
    return specified;
  }

  async #readSpecified(specification: Entity): Promise<Specified> {
    const tests = specifiedTests(specification);
    const named = tests.flatMap(({ test, method, uom }) => [test, method, uom]);
    await this.#known.learnGroupsOf(named, specification.workspaceId);
    const limited = tests.filter(({ minimum, maximum }) => minimum || maximum);
    return { tests, limited: Map.groupBy(limited, ({ test }) => this.#known.groupOf(test)) };
  }

  async #learn(results: readonly Entity[]): Promise<void> {
    const named = results.flatMap((result) => [result.at('test'), result.at('method'), result.at('uom')]);
    await this.#known.learnGroupsOf(named, results[0]?.workspaceId ?? null);
  }

  #judge(result: Entity, specified: Specified): SpecificationVerdict {
    const group = this.#known.groupOf(result.at('test'));
    const limited = (group !== undefined && specified.limited.get(group)) || [];
    if (limited.length === 0) return noVerdict('The specification has no limit for the test.');
    if (result.at('isPerformed') === false) return noVerdict('The test was not performed.');
    const fitting = limited.filter((one) => this.#misfit(result, one) === undefined);
    if (fitting.length === 0) return noVerdict(this.#misfit(result, limited[0] as SpecifiedTest) ?? '');
    const { number, reason } = numericResult(result);
    if (!number) return noVerdict(reason);
    const judged = fitting.flatMap((limits) => {
      const judgement = singleJudgement(number, limits);
      return judgement ? [{ ...judgement, margin: marginOf(limits) }] : [];
    });
    const [worst] = judged.sort((a, b) => CONFORMITIES.indexOf(b.conformity) - CONFORMITIES.indexOf(a.conformity));
    if (!worst) return noVerdict('The specification has no limit for the test.');
    const { conformity, limit, margin } = worst;
    return { conformity, limit: limit.toNumber(), margin: numberOf(margin), reason: null };
  }

  /** Why a limit does not apply to a result: its method or unit differs. */
  #misfit(result: Entity, limits: SpecifiedTest): string | undefined {
    const isOther = (member: 'method' | 'uom') =>
      typeof limits[member] === 'string' &&
      this.#known.groupOf(limits[member]) !== this.#known.groupOf(result.at(member));
    if (isOther('method')) return 'The result is of another method than the limit.';
    return isOther('uom') ? 'The result is in another unit than the limit.' : undefined;
  }
}

function specifiedTests(specification: Entity): SpecifiedTest[] {
  const tests = specification.at('tests');
  return (Array.isArray(tests) ? tests.filter(isObject) : []).map((one) => ({
    ...{ test: one.test, method: one.method, uom: one.uom },
    minimum: decimalOf(one.minimum),
    maximum: decimalOf(one.maximum),
    reproducibility: decimalOf(one.reproducibility),
  }));
}

function numericResult(result: Entity): { readonly number: Decimal | undefined; readonly reason: string } {
  const { exact, bound, reason } = qualityValue(result.at('result'), result.at('resultOperator'));
  return {
    number: exact ?? undefined,
    reason: reason ?? (bound === null ? '' : 'The result is a bound, not a number.'),
  };
}

/** Jobs are unchanged when their specification is deleted. */
const noSpecification = (job: Entity | undefined): string =>
  typeof job?.at('specification') === 'string'
    ? 'The specification that the job names was deleted.'
    : 'The job names no specification.';

const noVerdict = (reason: string): SpecificationVerdict => ({ conformity: null, limit: null, margin: null, reason });

const numberOf = (value: Decimal | undefined): number | null => value?.toNumber() ?? null;
