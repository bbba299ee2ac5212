import { setImmediate } from 'node:timers/promises';
import { SPECIFICATION_TYPE } from '../../model/document-types/specification.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { Decimal } from '../analysis/decimal.ts';
import { assignedValueOf, type Step } from '../analysis/specification/conformity.ts';
import { CONFORMITIES, type Conformity, marginOf, singleJudgement } from '../analysis/specification/verdict.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { AskedOnce } from './asked-once.ts';
import type { JobFacts } from './job-facts.ts';
import type { KnownItems } from './known-items.ts';
import { type ResultsAtPlace, type ResultsByTest, resultsByTest, specifiedResult } from './results-by-test.ts';
import { fittingKeys, misfit, readSpecified, type Specified, type SpecifiedTest } from './specified-tests.ts';

/** The most outcomes that are listed for one job: far more than the tests of any contract at all places of a cargo. */
const MOST_OUTCOMES = 5_000;

/** Of a job with this many tests and results, the outcomes are computed in a turn of the event loop of their own. */
const MANY = 500;

/** The verdict on a single result by the specification of its job. */
export interface SpecificationVerdict {
  readonly conformity: Conformity | null;
  readonly limit: number | null;
  readonly margin: number | null;
  readonly reason: string | null;
}

/** The outcome of a specified test at one sample location. */
export interface TestConformity extends Pick<SpecifiedTest, 'test' | 'method' | 'uom'> {
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly reproducibility: number | null;
  readonly location: string | null;
  readonly results: readonly { readonly entity: Entity }[];
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
  readonly #specified = new AskedOnce<Specified>();
  readonly #verdicts = new AskedOnce<SpecificationVerdict>();
  #computed: Promise<unknown> = Promise.resolve();
  readonly #conformities = new AskedOnce<readonly TestConformity[]>();

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
  verdict(result: Entity): Promise<SpecificationVerdict> {
    return this.#verdicts.of(result, () => this.#readVerdict(result));
  }

  async #readVerdict(result: Entity): Promise<SpecificationVerdict> {
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

  /** The outcome of each specified test at each sample location; without a value if there are too many of them. */
  conformity(job: Entity): Promise<readonly TestConformity[]> {
    return this.#conformities.of(job, () => this.#readConformity(job));
  }

  async #readConformity(job: Entity): Promise<readonly TestConformity[]> {
    const { tests } = (await this.#specifiedFor(job)) ?? {};
    if (!tests) return [];
    const { all } = await this.#facts.quality(job);
    await this.#learn(all.map(({ entity }) => entity));
    if (tests.length + all.length > MANY) await this.#turn();
    const byTest = resultsByTest(all, this.#known);
    const outcomes = tests.reduce((count, { group }) => count + (byTest.get(group)?.size ?? 1), 0);
    if (outcomes > MOST_OUTCOMES) return tests.map(tooManyOutcomes);
    return tests.flatMap((specified) => outcomesOf(specified, byTest));
  }

  /** Settles in a turn of the event loop in which no other job's outcomes are computed. */
  #turn(): Promise<unknown> {
    this.#computed = this.#computed.then(() => setImmediate());
    return this.#computed;
  }

  /** What a job's specification says, once the records it names are known; undefined if there is none. */
  async #specifiedFor(job: Entity): Promise<Specified | undefined> {
    const specification = await this.specificationOf(job);
    return specification && this.#specified.of(specification, () => readSpecified(specification, this.#known));
  }

  async #learn(results: readonly Entity[]): Promise<void> {
    const named = results.flatMap((result) => [result.at('test'), result.at('method'), result.at('uom')]);
    await this.#known.learnGroupsOf(named, results[0]?.workspaceId ?? null);
  }

  #judge(result: Entity, specified: Specified): SpecificationVerdict {
    const group = this.#known.groupOf(result.at('test'));
    const limited = group === undefined ? undefined : specified.limited.get(group);
    if (!limited) return noVerdict('The specification has no limit for the test.');
    if (result.at('isPerformed') === false) return noVerdict('The test was not performed.');
    const { scope, number, reason } = specifiedResult(result, this.#known);
    const fitting = [...fittingKeys(scope)].flatMap((key) => limited.byScope.get(key) ?? []);
    if (fitting.length === 0) return noVerdict(misfit(scope, limited.first.scope) ?? '');
    if (!number) return noVerdict(reason);
    const judged = fitting.flatMap((limits) => {
      const strictest = limits.strictest(number);
      const judgement = singleJudgement(number, strictest);
      return judgement ? [{ ...judgement, margin: marginOf(strictest), at: strictest.at }] : [];
    });
    const [worst] = judged.sort((a, b) => badness(b) - badness(a) || a.at - b.at);
    if (!worst) return noVerdict('The specification has no limit for the test.');
    const { conformity, limit, margin } = worst;
    return { conformity, limit: limit.toNumber(), margin: numberOf(margin), reason: null };
  }
}

const badness = ({ conformity }: { readonly conformity: Conformity }): number => CONFORMITIES.indexOf(conformity);

function outcomesOf(specified: SpecifiedTest, byTest: ResultsByTest): TestConformity[] {
  const places = [...(byTest.get(specified.group)?.values() ?? [undefined])];
  return places.map((place) => outcomeOf(specified, place));
}

function outcomeOf(specified: SpecifiedTest, place: ResultsAtPlace | undefined): TestConformity {
  const results = place?.numbersWithin(specified.scope) ?? [];
  const found = assignedValueOf(place?.within(specified.scope) ?? [], specified);
  return {
    ...limitsShown(specified),
    location: place?.location ?? null,
    results,
    assignedValue: numberOf(found.value),
    step: found.step ?? null,
    conformity: found.conformity ?? null,
    reason: (results.length === 0 ? place?.whyUnusable(specified.scope) : undefined) ?? found.reason ?? null,
  };
}

const tooManyOutcomes = (specified: SpecifiedTest): TestConformity => ({
  ...limitsShown(specified),
  ...{ location: null, results: [], assignedValue: null, step: null, conformity: null },
  reason: `The tests of the specification have more than ${MOST_OUTCOMES} outcomes at the sample locations of the job.`,
});

const limitsShown = ({ test, method, uom, minimum, maximum, reproducibility }: SpecifiedTest) => ({
  ...{ test, method, uom },
  ...{ minimum: numberOf(minimum), maximum: numberOf(maximum), reproducibility: numberOf(reproducibility) },
});

/** Jobs are unchanged when their specification is deleted. */
const noSpecification = (job: Entity | undefined): string =>
  typeof job?.at('specification') === 'string'
    ? 'The specification that the job names was deleted.'
    : 'The job names no specification.';

const noVerdict = (reason: string): SpecificationVerdict => ({ conformity: null, limit: null, margin: null, reason });

const numberOf = (value: Decimal | undefined): number | null => value?.toNumber() ?? null;
