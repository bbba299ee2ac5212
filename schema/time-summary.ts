import type { Laytime, LaytimeTerms } from '../src/domain/analysis/laytime.ts';
import type { DelayOfType, TimeGap, TimeSummary } from '../src/domain/analysis/time-summary.ts';
import type { EventFact, JobTimeSummary } from '../src/domain/job-analysis/job-analysis.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';
import { TimeLogEventRef } from './time-log-event.ts';

const Delay = builder.objectRef<DelayOfType<EventFact>>('DelayOfType').implement({
  description: 'The delays of one event type; synonymous types count as one.',
  fields: (t) => ({
    eventType: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The event type; null for delays without one.',
      resolve: ({ events }, _args, { load }) => load.catalogRecord(events[0]?.entity.at('type')),
    }),
    hours: t.exposeFloat('hours', { description: 'The duration in hours; overlaps count once.' }),
    events: t.field({
      type: [TimeLogEventRef],
      description: 'The delays, sorted by start.',
      resolve: ({ events }) => events.map(({ entity }) => entity),
    }),
  }),
});

const Gap = builder.objectRef<TimeGap<EventFact>>('TimeGap').implement({
  description: 'A period between two events that no event covers.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'When the preceding event ends.' }),
    to: t.expose('to', { type: 'DateTime', description: 'When the following event starts.' }),
    hours: t.exposeFloat('hours', { description: 'The duration in hours.' }),
    after: t.field({
      type: TimeLogEventRef,
      description: 'The preceding event.',
      resolve: ({ after }) => after.entity,
    }),
    before: t.field({
      type: TimeLogEventRef,
      description: 'The following event.',
      resolve: ({ before }) => before.entity,
    }),
  }),
});

const LeftOutEvent = builder.objectRef<TimeSummary<EventFact>['leftOut'][number]>('LeftOutEvent').implement({
  description: 'An event that is excluded.',
  fields: (t) => ({
    event: t.field({ type: TimeLogEventRef, description: 'The event.', resolve: ({ event }) => event.entity }),
    reason: t.exposeString('reason', { description: 'Why it is excluded.' }),
  }),
});

const LaytimeRef = builder.objectRef<Laytime>('Laytime').implement({
  description:
    'Laytime used against an allowance. Events that are excluded stop the clock until the allowance is used up; after that all time counts (once on demurrage, always on demurrage). This supports a laytime statement and does not replace the charterparty.',
  fields: (t) => ({
    from: t.expose('from', {
      type: 'DateTime',
      nullable: true,
      description: 'When laytime begins, after the notice period.',
    }),
    to: t.expose('to', { type: 'DateTime', nullable: true, description: 'When it ends.' }),
    allowedHours: t.exposeFloat('allowedHours', { description: 'The allowance, in hours.' }),
    usedHours: t.exposeFloat('usedHours', { nullable: true, description: 'The laytime used, in hours.' }),
    excludedHours: t.exposeFloat('excludedHours', { nullable: true, description: 'The excluded time, in hours.' }),
    remainingHours: t.exposeFloat('remainingHours', {
      nullable: true,
      description: 'The allowance minus the time used, in hours; negative while on demurrage.',
    }),
    isOnDemurrage: t.exposeBoolean('isOnDemurrage', {
      nullable: true,
      description: 'Whether more than the allowance was used.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why there are no figures.' }),
  }),
});

const TimeSummaryRef = builder.objectRef<JobTimeSummary>('TimeSummary').implement({
  description: 'The summary of a time log; durations are in hours, to four decimal places.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', nullable: true, description: 'The earliest start of an event.' }),
    end: t.expose('end', {
      type: 'DateTime',
      nullable: true,
      description: 'The latest end of an event; an event without an end ends at its start.',
    }),
    timeAtPort: t.exposeFloat('timeAtPort', { nullable: true, description: 'From `start` to `end`, in hours.' }),
    delay: t.exposeFloat('delay', {
      nullable: true,
      description: 'The time with any delay (category `delay`), in hours; overlaps count once.',
    }),
    delayOverlap: t.exposeFloat('delayOverlap', {
      nullable: true,
      description: 'The hours by which the sum of the delays of all types exceeds `delay`.',
    }),
    delays: t.expose('delays', { type: [Delay], description: 'The delays by event type, longest first.' }),
    gaps: t.expose('gaps', { type: [Gap], description: 'Periods that no event covers, in chronological order.' }),
    openEvents: t.field({
      type: [TimeLogEventRef],
      description: 'Events without an end, which count as zero time.',
      resolve: ({ open }) => open.map(({ entity }) => entity),
    }),
    leftOut: t.expose('leftOut', {
      type: [LeftOutEvent],
      description: 'Events that are excluded, each with the reason.',
    }),
    laytime: t.field({
      type: LaytimeRef,
      description: 'Laytime used against an allowance.',
      args: {
        allowedHours: t.arg.float({ required: true, description: 'The allowance, in hours.' }),
        noticeHours: t.arg.float({
          required: true,
          defaultValue: 0,
          description: 'The notice period in hours, after which laytime begins; often 6.',
        }),
        from: t.arg.stringList({
          required: true,
          defaultValue: [],
          description:
            'The event types whose earliest start is the notice, by name or xref, such as NOR; any event by default. At most 100 names.',
        }),
        to: t.arg.stringList({
          required: true,
          defaultValue: [],
          description:
            'The event types whose latest end ends laytime, such as hoses disconnected; any event by default. At most 100 names.',
        }),
        excluding: t.arg.stringList({
          required: true,
          defaultValue: [],
          description: 'The event types that do not count, by name or xref. At most 100 names.',
        }),
      },
      extensions: {
        cost: { weight: 10 },
        ...checked((terms: LaytimeTerms, { analyse }) => analyse.checkLaytime(terms)),
      },
      resolve: (summary, terms, { analyse }) => analyse.laytime(summary, terms),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why a figure is null or incomplete.',
    }),
  }),
});

builder.objectField(JobRef, 'timeSummary', (t) =>
  t.field({
    type: TimeSummaryRef,
    description: 'Time at port, delays by event type, gaps and open events of the time log.',
    args: {
      gapsOver: t.arg.float({
        required: true,
        defaultValue: 0,
        description: 'Only gaps longer than this many hours are listed.',
      }),
    },
    extensions: {
      cost: { weight: 10 },
      ...checked(({ gapsOver }: { readonly gapsOver: number }, { analyse }) => analyse.checkGaps(gapsOver)),
    },
    resolve: (job, { gapsOver }, { analyse }) => analyse.timeSummary(job, gapsOver),
  }),
);
