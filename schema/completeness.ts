import type { Completeness, ReportedKind } from '../src/domain/analysis/completeness.ts';
import { builder } from './building/builder.ts';
import { JobRef } from './job.ts';

const ReportedKindRef = builder.objectRef<ReportedKind>('ReportedKind').implement({
  description: 'One kind of results of a job: whether it is requested, and what was reported.',
  fields: (t) => ({
    isRequested: t.exposeBoolean('isRequested', {
      description:
        'Whether the job requests it. Load port information is expected for a discharge whose quantities are requested or reported.',
    }),
    reported: t.exposeInt('reported', { description: 'The number of results of this kind.' }),
    preliminary: t.exposeInt('preliminary', {
      description: 'The number of preliminary results; only quality results can be preliminary.',
    }),
    confirmed: t.exposeInt('confirmed', {
      description: 'The number of confirmed results; only quality results can be confirmed.',
    }),
    isComplete: t.exposeBoolean('isComplete', {
      nullable: true,
      description: 'Whether nothing is missing; null if the kind is not requested.',
    }),
    missing: t.exposeStringList('missing', { description: 'What is missing, in words.' }),
  }),
});

const JobCompleteness = builder.objectRef<Completeness>('JobCompleteness').implement({
  description:
    'What a job requests (`requested`) against what was reported for it. If the newest result of a test and sample location is preliminary, its confirmation is missing; so is a retest that has not been done.',
  fields: (t) => ({
    quality: t.expose('quality', { type: ReportedKindRef, description: 'Quality results.' }),
    quantity: t.expose('quantity', {
      type: ReportedKindRef,
      description: 'Quantity results: one with measurements for the source and one for the destination.',
    }),
    timeLog: t.expose('timeLog', { type: ReportedKindRef, description: 'The time log: at least one event.' }),
    loadPortInformation: t.expose('loadPortInformation', {
      type: ReportedKindRef,
      description: 'Load port information with measurements, for a discharge.',
    }),
    requestedKinds: t.exposeInt('requestedKinds', { description: 'The number of kinds requested, of four.' }),
    completeKinds: t.exposeInt('completeKinds', { description: 'The number of requested kinds that are complete.' }),
    isComplete: t.exposeBoolean('isComplete', {
      nullable: true,
      description: 'Whether nothing is missing; null if the job requests nothing.',
    }),
    missing: t.exposeStringList('missing', { description: 'Everything that is missing, in words.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why a figure is null or does not cover all reports.',
    }),
  }),
});

builder.objectField(JobRef, 'completeness', (t) =>
  t.field({
    type: JobCompleteness,
    description: 'What the job requests compared with what was reported, and what is missing.',
    extensions: { cost: { weight: 20 } },
    resolve: (job, _args, { analyse }) => analyse.completeness(job),
  }),
);
