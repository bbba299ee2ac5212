import type { Completeness, ReportedKind } from '../src/domain/analysis/completeness.ts';
import { builder } from './building/builder.ts';
import { JobRef } from './job.ts';

const ReportedKindRef = builder.objectRef<ReportedKind>('ReportedKind').implement({
  description: 'One kind of results of a job: whether it is requested, and what of it was reported.',
  fields: (t) => ({
    isRequested: t.exposeBoolean('isRequested', {
      description:
        'Whether the job requests it. Load port information is expected of a discharge whose quantities are requested or reported.',
    }),
    reported: t.exposeInt('reported', { description: 'How many results of the kind there are.' }),
    preliminary: t.exposeInt('preliminary', {
      description: 'How many of them are preliminary; only quality results can be.',
    }),
    confirmed: t.exposeInt('confirmed', {
      description: 'How many of them are confirmed; only quality results can be.',
    }),
    isComplete: t.exposeBoolean('isComplete', {
      nullable: true,
      description: 'Whether nothing is missing; null where it is not requested.',
    }),
    missing: t.exposeStringList('missing', { description: 'What is missing, in words.' }),
  }),
});

const JobCompleteness = builder.objectRef<Completeness>('JobCompleteness').implement({
  description:
    'What a job requests (`requested`) against what was reported for it. A result that is preliminary, and the newest of its test and sample location, is missing its confirmation; a retest that nobody has made is missing too.',
  fields: (t) => ({
    quality: t.expose('quality', { type: ReportedKindRef, description: 'Quality results.' }),
    quantity: t.expose('quantity', {
      type: ReportedKindRef,
      description: 'Quantity results: one with measurements for the source and one for the destination.',
    }),
    timeLog: t.expose('timeLog', { type: ReportedKindRef, description: 'The time log: one event at least.' }),
    loadPortInformation: t.expose('loadPortInformation', {
      type: ReportedKindRef,
      description: 'Load port information with measurements, for a discharge (interface, "Load port information").',
    }),
    requestedKinds: t.exposeInt('requestedKinds', { description: 'How many of the four kinds are requested.' }),
    completeKinds: t.exposeInt('completeKinds', { description: 'How many of those are complete.' }),
    isComplete: t.exposeBoolean('isComplete', {
      nullable: true,
      description: 'Whether nothing is missing; null where the job requests nothing.',
    }),
    missing: t.exposeStringList('missing', { description: 'Everything that is missing, in words.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why a figure is null, or not of all reports.' }),
  }),
});

builder.objectField(JobRef, 'completeness', (t) =>
  t.field({
    type: JobCompleteness,
    description: 'Requested against reported: what is there, and what is missing.',
    extensions: { cost: { weight: 20 } },
    resolve: (job, _args, { analyse }) => analyse.completeness(job),
  }),
);
