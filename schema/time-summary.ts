import type { Laytime } from '../src/domain/analysis/laytime.ts';
import type { DelayOfType, TimeGap, TimeSummary } from '../src/domain/analysis/time-summary.ts';
import type { EventFact } from '../src/domain/job-analysis/job-analysis.ts';
import { builder } from './building/builder.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';
import { TimeLogEventRef } from './time-log-event.ts';

const Delay = builder.objectRef<DelayOfType<EventFact>>('DelayOfType').implement({
  description: 'The delays of one event type; types that are synonyms count as one.',
  fields: (t) => ({
    eventType: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The event type; null for delays that name none.',
      resolve: ({ events }, _args, { load }) => load.catalogRecord(events[0]?.entity.at('type')),
    }),
    hours: t.exposeFloat('hours', { description: 'How long they took, in hours; where they overlap, once.' }),
    events: t.field({
      type: [TimeLogEventRef],
      description: 'The delays, in the order of their starts.',
      resolve: ({ events }) => events.map(({ entity }) => entity),
    }),
  }),
});

const Gap = builder.objectRef<TimeGap<EventFact>>('TimeGap').implement({
  description: 'A time between two events that no event covers.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'Where the event before it ends.' }),
    to: t.expose('to', { type: 'DateTime', description: 'Where the next event starts.' }),
    hours: t.exposeFloat('hours', { description: 'How long it is, in hours.' }),
    after: t.field({
      type: TimeLogEventRef,
      description: 'The event before it.',
      resolve: ({ after }) => after.entity,
    }),
    before: t.field({
      type: TimeLogEventRef,
      description: 'The event after it.',
      resolve: ({ before }) => before.entity,
    }),
  }),
});

const LeftOutEvent = builder.objectRef<TimeSummary<EventFact>['leftOut'][number]>('LeftOutEvent').implement({
  description: 'An event that is not counted.',
  fields: (t) => ({
    event: t.field({ type: TimeLogEventRef, description: 'The event.', resolve: ({ event }) => event.entity }),
    reason: t.exposeString('reason', { description: 'Why it is not counted.' }),
  }),
});

const LaytimeRef = builder.objectRef<Laytime>('Laytime').implement({
  description:
    'Laytime used against an allowance. Events that are excluded stop the clock until the allowance is used up; after that all time counts (once on demurrage, always on demurrage). It is a help for a laytime statement, and does not replace the charterparty.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', nullable: true, description: 'When laytime begins, the notice past.' }),
    to: t.expose('to', { type: 'DateTime', nullable: true, description: 'When it ends.' }),
    allowedHours: t.exposeFloat('allowedHours', { description: 'The allowance, in hours.' }),
    usedHours: t.exposeFloat('usedHours', { nullable: true, description: 'What counts, in hours.' }),
    excludedHours: t.exposeFloat('excludedHours', { nullable: true, description: 'What does not count, in hours.' }),
    remainingHours: t.exposeFloat('remainingHours', {
      nullable: true,
      description: 'Allowance minus use, in hours; negative is the time on demurrage.',
    }),
    isOnDemurrage: t.exposeBoolean('isOnDemurrage', { nullable: true, description: 'Whether more was used.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why there are no figures.' }),
  }),
});

const TimeSummaryRef = builder.objectRef<TimeSummary<EventFact>>('TimeSummary').implement({
  description: 'What a time log adds up to (interface, "Time log"); in hours to four places.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', nullable: true, description: 'The earliest start of an event.' }),
    end: t.expose('end', {
      type: 'DateTime',
      nullable: true,
      description: 'The latest end of an event; that of one without an end is its start.',
    }),
    timeAtPort: t.exposeFloat('timeAtPort', { nullable: true, description: 'From `start` to `end`, in hours.' }),
    delay: t.exposeFloat('delay', {
      nullable: true,
      description: 'The time within which there was any delay (category `delay`), in hours: overlaps count once.',
    }),
    delayOverlap: t.exposeFloat('delayOverlap', {
      nullable: true,
      description: 'By how many hours the delays of all types together are more than `delay`.',
    }),
    delays: t.expose('delays', { type: [Delay], description: 'The delays by event type, the longest first.' }),
    gaps: t.expose('gaps', { type: [Gap], description: 'Times that no event covers, in their order.' }),
    openEvents: t.field({
      type: [TimeLogEventRef],
      description: 'Events without an end, which take no time.',
      resolve: ({ open }) => open.map(({ entity }) => entity),
    }),
    leftOut: t.expose('leftOut', { type: [LeftOutEvent], description: 'Events that cannot be counted, and why.' }),
    laytime: t.field({
      type: LaytimeRef,
      description: 'Laytime used against an allowance.',
      args: {
        allowedHours: t.arg.float({ required: true, description: 'The allowance, in hours.' }),
        noticeHours: t.arg.float({
          required: true,
          defaultValue: 0,
          description: 'Laytime begins so many hours after the notice; often 6.',
        }),
        from: t.arg.stringList({
          required: true,
          defaultValue: [],
          description:
            'The event types whose earliest start is the notice, by name or xref, such as NOR; left out: any event.',
        }),
        to: t.arg.stringList({
          required: true,
          defaultValue: [],
          description:
            'The event types whose latest end ends laytime, such as hoses disconnected; left out: any event.',
        }),
        excluding: t.arg.stringList({
          required: true,
          defaultValue: [],
          description: 'The event types that do not count, by name or xref.',
        }),
      },
      resolve: (summary, terms, { analyse }) => analyse.laytime(summary, terms),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why a figure is null, or leaves something out.',
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
        description: 'Only gaps longer than so many hours are listed.',
      }),
    },
    extensions: { cost: { weight: 10 } },
    resolve: (job, { gapsOver }, { analyse }) => analyse.timeSummary(job, gapsOver),
  }),
);
