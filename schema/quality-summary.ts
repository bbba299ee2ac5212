import type { LatestResult, QualitySummary, Retest } from '../src/domain/analysis/quality-summary.ts';
import type { QualityValue } from '../src/domain/analysis/quality-value.ts';
import type { QualityFact } from '../src/domain/job-analysis/job-analysis.ts';
import type { FieldFilter } from '../src/domain/lists/filters.ts';
import { QUALITY_RESULT_TYPE, qualityResult } from '../src/model/document-types/quality-result.ts';
import { builder } from './building/builder.ts';
import { listArgs } from './building/page.ts';
import { checkedDocuments } from './document.ts';
import { JobRef } from './job.ts';
import { QualityResultConnection, QualityResultRef } from './quality-result.ts';
import { WorkspaceRef } from './workspace.ts';

const OperatorRef = builder.enumType('ResultOperator', {
  description: 'The relation of a test result to its number.',
  values: {
    eq: { description: 'Equal to the number.' },
    lt: { description: 'Below the number.' },
    lte: { description: 'At most the number.' },
    gt: { description: 'Above the number.' },
    gte: { description: 'At least the number.' },
  } as const,
});

const Value = builder.objectRef<QualityValue>('QualityValue').implement({
  description: 'The parsed text of a result. `<10` is a bound, not the number 10, and must be left out of averages.',
  fields: (t) => ({
    text: t.exposeString('text', { nullable: true, description: 'The result as reported.' }),
    operator: t.expose('operator', {
      type: OperatorRef,
      nullable: true,
      description:
        'The operator at the start of the text, otherwise `resultOperator`, otherwise eq; null if the result is not numeric.',
    }),
    number: t.exposeFloat('number', { nullable: true, description: 'The number, if the result is one.' }),
    bound: t.exposeFloat('bound', { nullable: true, description: 'The bound, if the result is below or above one.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is neither a number nor a bound.' }),
  }),
});

const VerdictRef = builder.enumType('Verdict', {
  description: 'The verdict of the inspection system.',
  values: {
    ON_SPECIFICATION: { description: '`isOffSpec` is false, or absent and `isPassed` is true.' },
    OFF_SPECIFICATION: { description: '`isOffSpec` is true, or absent and `isPassed` is false.' },
    NOT_JUDGED: { description: 'Both are absent.' },
  } as const,
});

const Outcome = builder.enumType('RetestOutcome', {
  description: 'The outcome of a retest.',
  values: {
    PENDING: { description: 'There is no later result of the test at that sample location.' },
    PASSED: { description: 'The later result is on specification.' },
    OFF_SPECIFICATION: { description: 'The later result is off specification again.' },
    NOT_JUDGED: { description: 'The later result was not judged.' },
  } as const,
});

const RetestRef = builder.objectRef<Retest<QualityFact>>('Retest').implement({
  description: 'A result that the client wants retested, or that was off specification and was tested again.',
  fields: (t) => ({
    of: t.field({ type: QualityResultRef, description: 'The result.', resolve: ({ of }) => of.entity }),
    by: t.field({
      type: QualityResultRef,
      nullable: true,
      description: 'The newest later result of the same test at the same sample location.',
      resolve: ({ by }) => by?.entity,
    }),
    outcome: t.expose('outcome', { type: Outcome, description: 'The outcome.' }),
  }),
});

const Latest = builder.objectRef<LatestResult<QualityFact>>('LatestResult').implement({
  description:
    'The newest result of one test at one sample location; synonymous tests count as one, and so do locations that differ only in letter case or surrounding spaces.',
  fields: (t) => ({
    location: t.exposeString('location', { nullable: true, description: 'The sample location.' }),
    result: t.field({ type: QualityResultRef, description: 'The result.', resolve: ({ result }) => result.entity }),
    verdict: t.expose('verdict', { type: VerdictRef, description: 'The verdict.' }),
    earlier: t.exposeInt('earlier', { description: 'The number of earlier results of the same test and location.' }),
  }),
});

const LeftOutResult = builder.objectRef<QualitySummary<QualityFact>['leftOut'][number]>('LeftOutResult').implement({
  description: 'A quality result that is excluded.',
  fields: (t) => ({
    result: t.field({ type: QualityResultRef, description: 'The result.', resolve: ({ result }) => result.entity }),
    reason: t.exposeString('reason', { description: 'Why it is excluded.' }),
  }),
});

const Summary = builder.objectRef<QualitySummary<QualityFact>>('QualitySummary').implement({
  description:
    'The quality of a cargo. For each test and sample location the newest result counts, by test date, set number, test number, then time of report.',
  fields: (t) => ({
    results: t.exposeInt('results', { description: 'The number of results.' }),
    preliminary: t.exposeInt('preliminary', { description: 'The number of preliminary results.' }),
    confirmed: t.exposeInt('confirmed', { description: 'The number of confirmed results.' }),
    latest: t.expose('latest', { type: [Latest], description: 'The newest result of each test and sample location.' }),
    offSpecification: t.expose('offSpecification', {
      type: [Latest],
      description: 'The newest results that are off specification.',
    }),
    notJudged: t.expose('notJudged', { type: [Latest], description: 'The newest results without a verdict.' }),
    isOnSpecification: t.exposeBoolean('isOnSpecification', {
      nullable: true,
      description:
        'False if any of the newest results is off specification; null while some have no verdict, or if there are none.',
    }),
    retests: t.expose('retests', {
      type: [RetestRef],
      description: 'The retests needed, with their outcomes.',
    }),
    pendingRetests: t.exposeInt('pendingRetests', { description: 'The number of retests not done yet.' }),
    leftOut: t.expose('leftOut', {
      type: [LeftOutResult],
      description: 'Results that are excluded, each with the reason.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why `isOnSpecification` is null.' }),
  }),
});

builder.objectField(JobRef, 'qualitySummary', (t) =>
  t.field({
    type: Summary,
    description: 'The newest result of each test, those off specification, and the outcomes of retests.',
    extensions: { cost: { weight: 10 } },
    resolve: (job, _args, { analyse }) => analyse.qualitySummary(job),
  }),
);

builder.objectFields(QualityResultRef, (t) => ({
  value: t.field({
    type: Value,
    description: 'The parsed `result` and `resultOperator`.',
    resolve: (result, _args, { analyse }) => analyse.qualityValue(result),
  }),
  retest: t.field({
    type: RetestRef,
    nullable: true,
    description: 'The retest of this result; null if none was needed.',
    extensions: { cost: { weight: 10 } },
    resolve: (result, _args, { analyse }) => analyse.retest(result),
  }),
}));

builder.objectFields(WorkspaceRef, (t) => ({
  offSpecification: t.field({
    type: QualityResultConnection,
    description: 'The quality results of the workspace that are off specification (`isOffSpec`).',
    args: listArgs(qualityResult),
    extensions: checkedDocuments(QUALITY_RESULT_TYPE),
    resolve: ({ id }, { filter, ...page }, { domain }) =>
      domain.documents.list({ ...page, ...flagged(id, 'isOffSpec', filter) }),
  }),
  retestsNeeded: t.field({
    type: QualityResultConnection,
    description: 'The quality results of the workspace that the client wants retested (`isRetestNeeded`).',
    args: listArgs(qualityResult),
    extensions: checkedDocuments(QUALITY_RESULT_TYPE),
    resolve: ({ id }, { filter, ...page }, { domain }) =>
      domain.documents.list({ ...page, ...flagged(id, 'isRetestNeeded', filter) }),
  }),
}));

/** The results in a workspace that have the flag set and match the filters. */
const flagged = (workspace: string, flag: string, filter: readonly FieldFilter[] | null | undefined) => ({
  workspace,
  type: QUALITY_RESULT_TYPE,
  filter: [...(filter ?? []), { field: flag, anyOf: ['true'] }],
});
