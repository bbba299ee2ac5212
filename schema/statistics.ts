import type { JobsLeftOut, RouteLoss } from '../src/domain/analysis/loss-by-route.ts';
import type { OffSpecificationRate } from '../src/domain/analysis/off-specification-rate.ts';
import type { Completion, JobCount, OffSpecification, RouteLosses, StatisticsScope } from '../src/domain/statistics.ts';
import { builder } from './building/builder.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { ViewerRef } from './viewer.ts';
import { WorkspaceRef } from './workspace.ts';

const JobCountRef = builder.objectRef<JobCount>('JobCount').implement({
  description: 'How many jobs have one status and activity.',
  fields: (t) => ({
    status: t.exposeString('status', { nullable: true, description: 'The status; null for jobs without one.' }),
    activity: t.exposeString('activity', { nullable: true, description: 'The activity; null for jobs without one.' }),
    jobs: t.exposeInt('jobs', { description: 'How many there are.' }),
  }),
});

const CompletionRef = builder.objectRef<Completion>('CompletionStatistics').implement({
  description:
    'How complete jobs (status `complete`) ended. A job ended with the last event of its time log; without one, at the latest date of its quantity results.',
  fields: (t) => ({
    jobs: t.exposeInt('jobs', { description: 'How many jobs are complete.' }),
    onTime: t.exposeInt('onTime', { description: 'How many ended by their estimated completion (`etc`).' }),
    late: t.exposeInt('late', { description: 'How many ended after it.' }),
    unknown: t.exposeInt('unknown', { description: 'How many have no estimated completion, or no known end.' }),
    onTimePercent: t.exposeFloat('onTimePercent', {
      nullable: true,
      description: 'The part of `onTime` in `onTime` and `late`, in percent to four places.',
    }),
    reported: t.exposeInt('reported', { description: 'How many have a known end, and quality or quantity results.' }),
    meanReportingDelay: t.exposeFloat('meanReportingDelay', {
      nullable: true,
      description:
        'The mean time from the end of a job to the report of its last quality or quantity result, in hours; negative where results came before the end.',
    }),
    longestReportingDelay: t.exposeFloat('longestReportingDelay', {
      nullable: true,
      description: 'The longest of those times, in hours.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why `onTimePercent` is null.' }),
  }),
});

const Rate = builder.objectRef<OffSpecificationRate>('OffSpecificationRate').implement({
  description: 'How many of the quality results are off specification; tests that were not performed do not count.',
  fields: (t) => ({
    record: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The product or vendor; null for jobs that name none, and for the total.',
      resolve: ({ record }, _args, { load }) => load.catalogRecord(record),
    }),
    results: t.exposeInt('results', { description: 'How many results there are.' }),
    judged: t.exposeInt('judged', { description: 'How many of them were judged (`isOffSpec`, else `isPassed`).' }),
    offSpecification: t.exposeInt('offSpecification', { description: 'How many of them are off specification.' }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'The part of `offSpecification` in `judged`, in percent to four places; null where none was judged.',
    }),
  }),
});

const OffSpecificationRef = builder.objectRef<OffSpecification>('OffSpecificationStatistics').implement({
  description: 'How often quality results are off specification.',
  fields: (t) => ({
    total: t.field({ type: Rate, description: 'Of all jobs.', resolve: ({ all }) => all }),
    byProduct: t.expose('byProduct', { type: [Rate], description: 'By the product of the job.' }),
    byVendor: t.expose('byVendor', { type: [Rate], description: 'By the vendor of the job.' }),
  }),
});

const LeftOut = builder.objectRef<JobsLeftOut>('JobsLeftOut').implement({
  description: 'Jobs that are not counted.',
  fields: (t) => ({
    jobs: t.exposeInt('jobs', { description: 'How many there are.' }),
    reason: t.exposeString('reason', { description: 'Why they are not counted.' }),
  }),
});

const Loss = builder.objectRef<RouteLoss>('RouteLoss').implement({
  description: 'What was lost between a load port and the place of discharge.',
  fields: (t) => ({
    from: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The port of loading.',
      resolve: ({ from }, _args, { load }) => load.catalogRecord(from),
    }),
    to: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The location of the discharge.',
      resolve: ({ to }, _args, { load }) => load.catalogRecord(to),
    }),
    jobs: t.exposeInt('jobs', { description: 'How many discharges are counted.' }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The unit of the figures: the one that most of the cargoes were loaded in.',
      resolve: ({ unit }, _args, { load }) => load.catalogRecord(unit),
    }),
    loaded: t.exposeFloat('loaded', { nullable: true, description: 'What was loaded, in all.' }),
    outturn: t.exposeFloat('outturn', { nullable: true, description: 'What arrived ashore, in all.' }),
    loss: t.exposeFloat('loss', {
      nullable: true,
      description: 'What was `loaded` minus the `outturn`: a gain is negative.',
    }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'The `loss` in percent of `loaded`, to four places.',
    }),
    leftOut: t.expose('leftOut', { type: [LeftOut], description: 'Jobs whose units cannot be converted.' }),
  }),
});

const Losses = builder.objectRef<RouteLosses>('LossStatistics').implement({
  description: 'Losses between load ports and discharge, of discharges with one load port that were not cancelled.',
  fields: (t) => ({
    measurement: t.exposeString('measurement', { description: 'The code or name of the measurement.' }),
    routes: t.expose('routes', { type: [Loss], description: 'Each route; those with the most jobs first.' }),
    leftOut: t.expose('leftOut', { type: [LeftOut], description: 'Discharges that have no such figures.' }),
  }),
});

const StatisticsRef = builder.objectRef<StatisticsScope>('Statistics').implement({
  description: 'Figures over the jobs that were created in a period, counted inside MongoDB.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'The start of the period, included.' }),
    to: t.expose('to', { type: 'DateTime', description: 'The end of the period, not included.' }),
    jobs: t.field({
      type: [JobCountRef],
      description: 'Jobs by status and activity, the most frequent first.',
      extensions: { cost: { weight: 20 } },
      resolve: (scope, _args, { domain }) => domain.statistics.jobs(scope),
    }),
    completion: t.field({
      type: CompletionRef,
      description: 'On-time completion, and how long results took to be reported.',
      extensions: { cost: { weight: 800 } },
      resolve: (scope, _args, { domain }) => domain.statistics.completion(scope),
    }),
    offSpecification: t.field({
      type: OffSpecificationRef,
      description: 'The part of quality results off specification, by product and vendor.',
      extensions: { cost: { weight: 800 } },
      resolve: (scope, _args, { domain }) => domain.statistics.offSpecification(scope),
    }),
    losses: t.field({
      type: Losses,
      description: 'The loss by route: load port against outturn.',
      args: {
        measurement: t.arg.string({
          required: true,
          defaultValue: 'GSV',
          description: 'The code or name of the measurement that is compared.',
        }),
      },
      extensions: { cost: { weight: 800 } },
      resolve: (scope, { measurement }, { domain }) => domain.statistics.losses(scope, measurement),
    }),
  }),
});

const periodArgs = () =>
  builder.args((t) => ({
    from: t.field({
      type: 'DateTime',
      description: 'Jobs created from then on; left out: a year before `to`.',
    }),
    to: t.field({ type: 'DateTime', description: 'Jobs created before then; left out: now.' }),
  }));

builder.objectField(WorkspaceRef, 'statistics', (t) =>
  t.field({
    type: StatisticsRef,
    description: 'Figures over the jobs of the workspace.',
    args: periodArgs(),
    resolve: ({ id }, period, { domain }) => domain.statistics.scope(period, id),
  }),
);

builder.objectField(ViewerRef, 'statistics', (t) =>
  t.field({
    type: StatisticsRef,
    description: 'Figures over all jobs that the caller may see.',
    args: periodArgs(),
    resolve: (_viewer, period, { domain }) => domain.statistics.scope(period),
  }),
);
