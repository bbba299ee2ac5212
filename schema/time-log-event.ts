import { timelog } from '../src/model/document-types/timelog.ts';
import { result } from './building/result.ts';

export const { ref: TimeLogEventRef } = result({
  type: timelog,
  name: 'TimeLogEvent',
  description:
    'What happened when while a vessel called at a port: events such as arrival and berthing, and delays. Time at port and laytime are computed from them.',
  one: 'timeLogEvent',
  many: 'timeLogEvents',
  ofJob: 'timeLog',
});
