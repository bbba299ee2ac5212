import type { LatestResult, QualitySummary, Retest } from '../src/domain/analysis/quality-summary.ts';
import type { QualityValue } from '../src/domain/analysis/quality-value.ts';
import type { QualityFact } from '../src/domain/job-analysis/job-analysis.ts';
import type { FieldFilter } from '../src/domain/lists/filters.ts';
import { QUALITY_RESULT_TYPE, qualityResult } from '../src/model/document-types/quality-result.ts';
import { builder } from './building/builder.ts';
import { listArgs } from './building/page.ts';
import { JobRef } from './job.ts';
import { QualityResultConnection, QualityResultRef } from './quality-result.ts';
import { WorkspaceRef } from './workspace.ts';

const OperatorRef = builder.enumType('ResultOperator', {
  description: 'How the result of a test compares with its number.',
  values: {
    eq: { description: 'It is the number.' },
    lt: { description: 'It is below the number.' },
    lte: { description: 'It is the number at most.' },
    gt: { description: 'It is above the number.' },
    gte: { description: 'It is the number at least.' },
  } as const,
});

const Value = builder.objectRef<QualityValue>('QualityValue').implement({
  description:
    'What the text of a result says. `<10` is a bound and not the number 10: whoever averages numbers leaves it out.',
  fields: (t) => ({
    text: t.exposeString('text', { nullable: true, description: 'The result as it was reported.' }),
    operator: t.expose('operator', {
      type: OperatorRef,
      nullable: true,
      description: 'The operator that the text begins with, else `resultOperator`, else eq; null for words.',
    }),
    number: t.exposeFloat('number', { nullable: true, description: 'The number, where the result is one.' }),
    bound: t.exposeFloat('bound', { nullable: true, description: 'The bound, where the result is below or above it.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is neither number nor bound.' }),
  }),
});

const VerdictRef = builder.enumType('Verdict', {
  description: 'What the inspection system judged.',
  values: {
    ON_SPECIFICATION: { description: '`isOffSpec` is false; where it is absent, `isPassed` is true.' },
    OFF_SPECIFICATION: { description: '`isOffSpec` is true; where it is absent, `isPassed` is false.' },
    NOT_JUDGED: { description: 'It has neither.' },
  } as const,
});

const Outcome = builder.enumType('RetestOutcome', {
  description: 'What came of a retest.',
  values: {
    PENDING: { description: 'There is no later result of the test at the sample location.' },
    PASSED: { description: 'The later result is on specification.' },
    OFF_SPECIFICATION: { description: 'The later result is off specification again.' },
    NOT_JUDGED: { description: 'The later result was not judged.' },
  } as const,
});

const RetestRef = builder.objectRef<Retest<QualityFact>>('Retest').implement({
  description: 'A result that the client wants retested, or that was off specification and then tested again.',
  fields: (t) => ({
    of: t.field({ type: QualityResultRef, description: 'The result.', resolve: ({ of }) => of.entity }),
    by: t.field({
      type: QualityResultRef,
      nullable: true,
      description: 'The newest later result of the same test at the same sample location.',
      resolve: ({ by }) => by?.entity,
    }),
    outcome: t.expose('outcome', { type: Outcome, description: 'What came of it.' }),
  }),
});

const Latest = builder.objectRef<LatestResult<QualityFact>>('LatestResult').implement({
  description: 'The newest result of one test at one sample location; tests that are synonyms count as one.',
  fields: (t) => ({
    location: t.exposeString('location', { nullable: true, description: 'The sample location.' }),
    result: t.field({ type: QualityResultRef, description: 'The result.', resolve: ({ result }) => result.entity }),
    verdict: t.expose('verdict', { type: VerdictRef, description: 'How it was judged.' }),
    earlier: t.exposeInt('earlier', { description: 'How many results of the test and location came before it.' }),
  }),
});

const LeftOutResult = builder.objectRef<QualitySummary<QualityFact>['leftOut'][number]>('LeftOutResult').implement({
  description: 'A quality result that is not counted.',
  fields: (t) => ({
    result: t.field({ type: QualityResultRef, description: 'The result.', resolve: ({ result }) => result.entity }),
    reason: t.exposeString('reason', { description: 'Why it is not counted.' }),
  }),
});

const Summary = builder.objectRef<QualitySummary<QualityFact>>('QualitySummary').implement({
  description:
    'What is known about the quality of a cargo. The newest result of a test at a sample location counts: by the date of the test, then set number, test number and report.',
  fields: (t) => ({
    results: t.exposeInt('results', { description: 'How many results there are.' }),
    preliminary: t.exposeInt('preliminary', { description: 'How many of them are preliminary.' }),
    confirmed: t.exposeInt('confirmed', { description: 'How many of them are confirmed.' }),
    latest: t.expose('latest', { type: [Latest], description: 'The newest result of each test and sample location.' }),
    offSpecification: t.expose('offSpecification', {
      type: [Latest],
      description: 'Those of the newest results that are off specification.',
    }),
    notJudged: t.expose('notJudged', { type: [Latest], description: 'Those of them that nobody judged.' }),
    isOnSpecification: t.exposeBoolean('isOnSpecification', {
      nullable: true,
      description:
        'False when any newest result is off specification; null while some are not judged, or there are none.',
    }),
    retests: t.expose('retests', {
      type: [RetestRef],
      description: 'The retests that were needed, and their outcome.',
    }),
    pendingRetests: t.exposeInt('pendingRetests', { description: 'How many of them nobody has made.' }),
    leftOut: t.expose('leftOut', { type: [LeftOutResult], description: 'Results that cannot be counted, and why.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why `isOnSpecification` is null.' }),
  }),
});

builder.objectField(JobRef, 'qualitySummary', (t) =>
  t.field({
    type: Summary,
    description: 'The newest result of each test, what is off specification, and what came of retests.',
    extensions: { cost: { weight: 10 } },
    resolve: (job, _args, { analyse }) => analyse.qualitySummary(job),
  }),
);

builder.objectFields(QualityResultRef, (t) => ({
  value: t.field({
    type: Value,
    description: 'What `result` and `resultOperator` say together.',
    resolve: (result, _args, { analyse }) => analyse.qualityValue(result),
  }),
  retest: t.field({
    type: RetestRef,
    nullable: true,
    description: 'The retest of this result; null where none was needed.',
    extensions: { cost: { weight: 10 } },
    resolve: (result, _args, { analyse }) => analyse.retest(result),
  }),
}));

builder.objectFields(WorkspaceRef, (t) => ({
  offSpecification: t.field({
    type: QualityResultConnection,
    description: 'The quality results of the workspace that were judged to be off specification (`isOffSpec`).',
    args: listArgs(qualityResult),
    resolve: ({ id }, { filter, ...page }, { domain }) =>
      domain.documents.list({ ...page, ...flagged(id, 'isOffSpec', filter) }),
  }),
  retestsNeeded: t.field({
    type: QualityResultConnection,
    description: 'The quality results of the workspace that the client wants retested (`isRetestNeeded`).',
    args: listArgs(qualityResult),
    resolve: ({ id }, { filter, ...page }, { domain }) =>
      domain.documents.list({ ...page, ...flagged(id, 'isRetestNeeded', filter) }),
  }),
}));

/** The results of a workspace whose flag is set, and that pass the other filters. */
const flagged = (workspace: string, flag: string, filter: readonly FieldFilter[] | null | undefined) => ({
  workspace,
  type: QUALITY_RESULT_TYPE,
  filter: [...(filter ?? []), { field: flag, anyOf: ['true'] }],
});
