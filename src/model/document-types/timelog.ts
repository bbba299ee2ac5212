import type { DocumentType } from '../entity-type.ts';
import { datetime, link, oneOf, reference, text } from '../schema-parts.ts';
import { JOB_TYPE } from './job.ts';

export const TIMELOG_TYPE = 'svc.inspection.timelog';
export const TIMELOG_CATEGORIES = ['event', 'delay'] as const;

/** An event or a delay while a vessel calls at a port (interface, "Time log"). */
export const timelog: DocumentType = {
  name: TIMELOG_TYPE,
  aliases: [],
  noun: 'time log event',
  parentType: JOB_TYPE,
  required: ['parent'],
  names: { workspace: null, parent: null, type: 'eventType' },
  schema: {
    title: 'Time log event',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the event belongs to; filled in from the path.'),
      parent: link('document', 'The job that the event belongs to.'),
      type: reference('eventTypes', 'What happened.'),
      category: oneOf(TIMELOG_CATEGORIES, 'Whether it is an event or a delay.'),
      start: datetime('When it began.'),
      end: datetime('When it ended; not before it began.'),
      notes: text('Remarks.'),
    },
  },
};
