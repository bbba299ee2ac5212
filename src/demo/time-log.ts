import type { JsonObject } from '../model/json.ts';
import type { PortCall } from './port-call.ts';
import type { Random } from './random.ts';
import { EVENTS } from './trade-words.ts';
import { wire } from './wire-time.ts';

const QUARTER = 15 * 60 * 1000;
const PER_HOUR = 4;

/** The time log of one port call, from the end of the sea passage to the documents; delays may overlap. */
export function timeLogBodies(chance: Random, { arrival, end }: PortCall): JsonObject[] {
  const at = (time: number): string => wire(new Date(time));
  const event = (type: keyof typeof EVENTS, from: number, to?: number, category = 'event'): JsonObject => ({
    type: EVENTS[type],
    category,
    start: at(from),
    ...(to !== undefined && { end: at(to) }),
  });
  const quarters = (min: number, max: number): number => chance.whole(min, max) * QUARTER;
  const notice = arrival.getTime() + quarters(0, 3);
  const waits = chance.chance(0.5);
  const fast = notice + (waits ? quarters(2 * PER_HOUR, 8 * PER_HOUR) : quarters(2, 6));
  const start = fast + quarters(4, 8);
  const hosesOff = end.getTime() - quarters(2, 6);
  const stop = Math.max(start + QUARTER, hosesOff - quarters(1, 3));
  const log = [
    event('arrival', arrival.getTime(), arrival.getTime()),
    event('notice', notice, notice + QUARTER),
    ...(waits ? [event('berth', notice + QUARTER, fast, 'delay')] : []),
    event('fast', fast, fast),
    event('transfer', start, stop),
    event('hosesOff', Math.max(stop, hosesOff), Math.max(stop, hosesOff) + QUARTER),
    event('documents', Math.max(stop, hosesOff) + QUARTER, Math.max(stop + 2 * QUARTER, end.getTime())),
  ];
  if (!chance.chance(0.25)) return log;
  const from = waits ? fast - quarters(1, 6) : start;
  return [...log, event('weather', from, from + quarters(4, 12), 'delay')];
}
