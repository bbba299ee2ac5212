import type { JobsLeftOut, RouteLoss } from '../src/domain/analysis/loss-by-route.ts';
import type { OffSpecificationRate } from '../src/domain/analysis/off-specification-rate.ts';
import type { Completion, JobCount, OffSpecification, RouteLosses } from '../src/domain/statistics/statistics.ts';
import type { StatisticsRequest, StatisticsScope } from '../src/domain/statistics/statistics-scope.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { ViewerRef } from './viewer.ts';
import { WorkspaceRef } from './workspace.ts';

const JobCountRef = builder.objectRef<JobCount>('JobCount').implement({
  description:
    'The number of jobs with one status and activity. Texts of more than 100 characters end with `…` after the first 99, and those that are the same up to there count as one.',
  fields: (t) => ({
    status: t.exposeString('status', { nullable: true, description: 'The status; null for jobs without one.' }),
    activity: t.exposeString('activity', { nullable: true, description: 'The activity; null for jobs without one.' }),
    jobs: t.exposeInt('jobs', { description: 'The number of jobs.' }),
  }),
});

const CompletionRef = builder.objectRef<Completion>('CompletionStatistics').implement({
  description:
    'The punctuality of complete jobs (status `complete`). A job ends with the last event of its time log or, without one, at the latest date of its quantity results.',
  fields: (t) => ({
    jobs: t.exposeInt('jobs', { description: 'The number of complete jobs.' }),
    onTime: t.exposeInt('onTime', { description: 'The number that ended by their estimated completion (`etc`).' }),
    late: t.exposeInt('late', { description: 'The number that ended after it.' }),
    unknown: t.exposeInt('unknown', { description: 'The number without an estimated completion or a known end.' }),
    onTimePercent: t.exposeFloat('onTimePercent', {
      nullable: true,
      description: 'The percentage of `onTime` in `onTime` plus `late`, to four decimal places.',
    }),
    reported: t.exposeInt('reported', { description: 'The number with a known end and quality or quantity results.' }),
    meanReportingDelay: t.exposeFloat('meanReportingDelay', {
      nullable: true,
      description:
        'The mean time from the end of a job to the report of its last quality or quantity result, in hours; negative if the results came before the end.',
    }),
    medianReportingDelay: t.exposeFloat('medianReportingDelay', {
      nullable: true,
      description: 'The median of those times, in hours.',
    }),
    longestReportingDelay: t.exposeFloat('longestReportingDelay', {
      nullable: true,
      description: 'The longest of those times, in hours.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why `onTimePercent` is null.' }),
  }),
});

const Rate = builder.objectRef<OffSpecificationRate>('OffSpecificationRate').implement({
  description: 'The rate of quality results off specification; tests that were not performed do not count.',
  fields: (t) => ({
    record: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The product or vendor; null for jobs without one, and for the total.',
      resolve: ({ record }, _args, { load }) => load.catalogRecord(record),
    }),
    results: t.exposeInt('results', { description: 'The number of results.' }),
    judged: t.exposeInt('judged', {
      description: 'The number of results with a verdict (`isOffSpec`, otherwise `isPassed`).',
    }),
    offSpecification: t.exposeInt('offSpecification', { description: 'The number of results off specification.' }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description:
        'The percentage of `judged` results that are off specification, to four decimal places; null if none has a verdict.',
    }),
  }),
});

const OffSpecificationRef = builder.objectRef<OffSpecification>('OffSpecificationStatistics').implement({
  description: 'How often quality results are off specification.',
  fields: (t) => ({
    total: t.field({ type: Rate, description: 'Of all jobs.', resolve: (rates) => rates.all() }),
    byProduct: t.field({
      type: [Rate],
      description: 'By the product of the job; synonyms are one product.',
      resolve: (rates) => rates.by('product'),
    }),
    byVendor: t.field({
      type: [Rate],
      description: 'By the vendor of the job; synonyms are one vendor.',
      resolve: (rates) => rates.by('vendor'),
    }),
  }),
});

const LeftOut = builder.objectRef<JobsLeftOut>('JobsLeftOut').implement({
  description: 'Jobs that are excluded.',
  fields: (t) => ({
    jobs: t.exposeInt('jobs', { description: 'The number of jobs.' }),
    reason: t.exposeString('reason', { description: 'Why they are excluded.' }),
  }),
});

const Loss = builder.objectRef<RouteLoss>('RouteLoss').implement({
  description: 'The loss between a load port and the place of discharge.',
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
    jobs: t.exposeInt('jobs', { description: 'The number of discharges counted.' }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The unit of the figures: the most frequent one among the loaded cargoes.',
      resolve: ({ unit }, _args, { load }) => load.catalogRecord(unit),
    }),
    loaded: t.exposeFloat('loaded', { nullable: true, description: 'The total quantity loaded.' }),
    outturn: t.exposeFloat('outturn', { nullable: true, description: 'The total quantity received ashore.' }),
    loss: t.exposeFloat('loss', {
      nullable: true,
      description: 'The difference `loaded` minus `outturn`; a gain is negative.',
    }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'The `loss` in percent of `loaded`, to four decimal places.',
    }),
    leftOut: t.expose('leftOut', {
      type: [LeftOut],
      description: 'Jobs whose units do not convert to that of the route, or are at another standard.',
    }),
  }),
});

const Losses = builder.objectRef<RouteLosses>('LossStatistics').implement({
  description: 'Losses between load ports and discharge, of discharges with one load port that were not cancelled.',
  fields: (t) => ({
    measurement: t.exposeString('measurement', { description: 'The code or name of the measurement.' }),
    routes: t.expose('routes', { type: [Loss], description: 'The routes, those with the most jobs first.' }),
    leftOut: t.expose('leftOut', { type: [LeftOut], description: 'Discharges without such figures.' }),
  }),
});

const StatisticsRef = builder.objectRef<StatisticsScope>('Statistics').implement({
  description: 'Statistics of the jobs created in a period, kept up to date as documents change.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'The start of the period, inclusive.' }),
    to: t.expose('to', { type: 'DateTime', description: 'The end of the period, exclusive.' }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description:
        'How fresh the figures are: they count everything that was written before this time. It is more than 2 seconds ago only while no gateway updates the figures, while they are rebuilt, or while documents are written faster than they can be counted. If the operator has statistics read from secondaries, what was written in the last moments may be missing.',
    }),
    jobs: t.field({
      type: [JobCountRef],
      description: 'Jobs by status and activity, the most frequent first.',
      extensions: { cost: { call: 200 } },
      resolve: (scope, _args, { domain }) => domain.statistics.jobs(scope),
    }),
    completion: t.field({
      type: CompletionRef,
      description: 'On-time completion, and the time until results were reported.',
      extensions: { cost: { weight: 800 } },
      resolve: (scope, _args, { domain }) => domain.statistics.completion(scope),
    }),
    offSpecification: t.field({
      type: OffSpecificationRef,
      description: 'The rate of quality results off specification, by product and vendor.',
      extensions: { cost: { weight: 800 } },
      resolve: (scope, _args, { domain }) => domain.statistics.offSpecification(scope),
    }),
    losses: t.field({
      type: Losses,
      description: 'The losses by route: load port compared with outturn.',
      args: {
        measurement: t.arg.string({
          required: true,
          defaultValue: 'GSV',
          description: 'The code or name of the measurement to compare.',
        }),
      },
      extensions: {
        cost: { weight: 800 },
        ...checked(({ measurement }: { readonly measurement: string }, { domain }) =>
          domain.statistics.checkMeasurement(measurement),
        ),
      },
      resolve: (scope, { measurement }, { domain }) => domain.statistics.losses(scope, measurement),
    }),
  }),
});

const statisticsArgs = () =>
  builder.args((t) => ({
    from: t.field({
      type: 'DateTime',
      description: 'Jobs created at or after this time; by default, one year before `to`.',
    }),
    to: t.field({ type: 'DateTime', description: 'Jobs created before this time; by default, now.' }),
    product: t.field({
      type: 'UUID',
      description: 'Jobs of this product, or a synonym of it: the id of a catalog record.',
    }),
    vendor: t.field({ type: 'UUID', description: 'Jobs of this vendor, likewise.' }),
    vessel: t.field({ type: 'UUID', description: 'Jobs with this vessel among their first 100 transports, likewise.' }),
    location: t.field({ type: 'UUID', description: 'Jobs at this location, likewise.' }),
  }));

builder.objectField(WorkspaceRef, 'statistics', (t) =>
  t.field({
    type: StatisticsRef,
    description: 'Statistics of the jobs of the workspace.',
    args: statisticsArgs(),
    extensions: checked((request: StatisticsRequest, { domain }) => domain.statistics.checkScope(request)),
    resolve: ({ id }, request, { domain }) => domain.statistics.scope(request, id),
  }),
);

builder.objectField(ViewerRef, 'statistics', (t) =>
  t.field({
    type: StatisticsRef,
    description: 'Statistics of all jobs visible to the caller.',
    args: statisticsArgs(),
    resolve: (_viewer, request, { domain }) => domain.statistics.scope(request),
  }),
);
