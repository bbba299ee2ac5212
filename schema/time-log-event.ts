import { timelog } from '../src/model/document-types/timelog.ts';
import { result } from './building/result.ts';

export const { ref: TimeLogEventRef } = result({
  type: timelog,
  description:
    'An event of a port call, such as arrival, berthing or a delay. Time at port and laytime are computed from them.',
  ofJob: 'timeLog',
});
