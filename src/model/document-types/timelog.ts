import type { ResultType } from '../entity/entity-type.ts';
import { datetime, link, oneOf, reference, text } from '../fields/schema-parts.ts';
import { JOB_TYPE } from './job.ts';

export const TIMELOG_TYPE = 'svc.inspection.timelog';
const TIMELOG_CATEGORIES = ['event', 'delay'] as const;

/** An event or a delay during a port call (interface, "Time log"). */
export const timelog: ResultType<'time log event'> = {
  name: TIMELOG_TYPE,
  aliases: [],
  noun: 'time log event',
  phrases: { one: 'an event of the time log', all: 'the events of the time log' },
  parentType: JOB_TYPE,
  required: ['parent'],
  graphqlNames: { hide: ['workspace', 'parent'], rename: { type: 'eventType' } },
  schema: {
    title: 'Time log event',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the event belongs to; filled in from the path.'),
      parent: link('document', 'The job that the event belongs to.'),
      type: reference(
        'eventTypes',
        'What happened, such as notice of readiness, all fast, hoses connected or discharge completed.',
      ),
      category: oneOf(
        TIMELOG_CATEGORIES,
        "An event is part of the call; a delay holds it up, and may be somebody's to pay for (demurrage).",
      ),
      start: datetime('When it began.'),
      end: datetime('When it ended, not before it began; absent for a moment, and for what still lasts.'),
      notes: text('Remarks.'),
    },
  },
};
