import { timelog } from '../src/model/document-types/timelog.ts';
import { result } from './result.ts';

export const { ref: TimeLogEventRef } = result({
  type: timelog,
  name: 'TimeLogEvent',
  description: 'An event or a delay while a vessel calls at a port.',
  one: 'timeLogEvent',
  many: 'timeLogEvents',
  ofJob: 'timeLog',
});
