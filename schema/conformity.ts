import type { Step } from '../src/domain/analysis/specification/conformity.ts';
import type { Conformity } from '../src/domain/analysis/specification/verdict.ts';
import type { SpecificationVerdict, TestConformity } from '../src/domain/job-analysis/specifications.ts';
import { builder } from './building/builder.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';
import { QualityResultRef } from './quality-result.ts';

const CONFORMITIES: Readonly<Record<Conformity, { readonly description: string }>> = {
  MEETS: { description: 'On the limit itself, or on the side that is allowed.' },
  DOUBTFUL: { description: 'Beyond the limit by at most 0.59 R: a single result is not enough to decide.' },
  FAILS: { description: 'Further beyond the limit.' },
};
const ConformityRef = builder.enumType('Conformity', {
  description:
    "The verdict on a value by a specification, from the recipient's point of view (ASTM D3244, ISO 4259-2).",
  values: CONFORMITIES,
});

const STEPS: Readonly<Record<Step, { readonly description: string }>> = {
  SINGLE: { description: "One laboratory's newest result." },
  MEAN_OF_TWO: { description: 'The mean of the first results of two laboratories, which differ by at most R.' },
  RETEST_NEEDED: { description: 'They differ by more than R: both laboratories test again.' },
  MEAN_OF_RETESTS: { description: 'The mean of the retests, which differ by at most R.' },
  REFEREE_NEEDED: { description: 'The retests differ by more than R: a third laboratory tests.' },
  MEAN_OF_THREE: { description: 'The mean of both retests and the third result, which are within 1.2 R.' },
  CLOSER_PAIR: { description: 'The mean of the closer two of them; the middle one if both are equally far.' },
};
const StepRef = builder.enumType('ConformityStep', {
  description: 'The state of the procedure for results of several laboratories (ASTM D3244, ISO 4259-2).',
  values: STEPS,
});

const Verdict = builder.objectRef<SpecificationVerdict>('SpecificationVerdict').implement({
  description:
    'The verdict on a single result by the specification of its job; `isOffSpec` stays as the laboratory reported it.',
  fields: (t) => ({
    conformity: t.expose('conformity', { type: ConformityRef, nullable: true, description: 'The verdict.' }),
    limit: t.exposeFloat('limit', {
      nullable: true,
      description: 'The limit that decides, in its unit: the one that is missed, otherwise the nearer one.',
    }),
    margin: t.exposeFloat('margin', {
      nullable: true,
      description: '0.59 R: how far beyond the limit a single result is in doubt, in its unit; null without R.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why there is no verdict: no limit, no number, another unit or method than the limit has.',
    }),
  }),
});

const TestConformityRef = builder.objectRef<TestConformity>('TestConformity').implement({
  description:
    'The outcome of one specified test at one sample location, whatever its letter case and surrounding spaces. Figures are in the unit of the limits.',
  fields: (t) => ({
    test: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The test.',
      resolve: ({ test }, _args, { load }) => load.catalogRecord(test),
    }),
    method: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The method that the specification names.',
      resolve: ({ method }, _args, { load }) => load.catalogRecord(method),
    }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The unit of the limits, the reproducibility and the assigned value.',
      resolve: ({ uom }, _args, { load }) => load.catalogRecord(uom),
    }),
    location: t.exposeString('location', { nullable: true, description: 'The sample location.' }),
    minimum: t.exposeFloat('minimum', { nullable: true, description: 'The lowest value that is allowed.' }),
    maximum: t.exposeFloat('maximum', { nullable: true, description: 'The highest value that is allowed.' }),
    reproducibility: t.exposeFloat('reproducibility', { nullable: true, description: 'The reproducibility R.' }),
    results: t.field({
      type: [QualityResultRef],
      description: 'The results that can be compared with the limits, oldest first.',
      resolve: ({ results }) => results.map(({ entity }) => entity),
    }),
    assignedValue: t.exposeFloat('assignedValue', {
      nullable: true,
      description: 'The value that the procedure assigns, not rounded, so that it agrees with its verdict.',
    }),
    step: t.expose('step', { type: StepRef, nullable: true, description: 'The state of the procedure.' }),
    conformity: t.expose('conformity', {
      type: ConformityRef,
      nullable: true,
      description: 'The verdict: on a single result with its doubt, on a combined value by the limit itself.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why there is no value or no verdict yet.' }),
  }),
});

builder.objectField(QualityResultRef, 'verdict', (t) =>
  t.field({
    type: Verdict,
    description: 'The verdict on the result by the specification of its job; it does not change `isOffSpec`.',
    extensions: { cost: { weight: 5 } },
    resolve: (result, _args, { analyse }) => analyse.verdict(result),
  }),
);

builder.objectField(JobRef, 'conformity', (t) =>
  t.field({
    type: [TestConformityRef],
    description:
      'Each test of the specification at each sample location, with the combined value of the results of one or several laboratories; each test once, without a value, if there are more than 5,000 of these outcomes.',
    extensions: { cost: { weight: 10, size: 10 } },
    resolve: async (job, _args, { analyse }) => [...(await analyse.conformity(job))],
  }),
);
