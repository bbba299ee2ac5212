import { describe, expect, it } from 'vitest';
import { type LaytimeTerms, laytimeOf, nameKey } from '../../src/domain/analysis/laytime.ts';
import { summarizeTime } from '../../src/domain/analysis/time-summary.ts';

const event = (type: string, start: unknown, end?: unknown, category = 'event') => ({
  type,
  typeKeys: [nameKey(type)],
  category,
  start,
  end,
});
const at = (text: string) => `2026-05-${text}:00Z`;

/** A port call, from the end of the sea passage to the documents on board. */
const CALL = [
  event('EOSP', at('01T06:00')),
  event('NOR', at('01T06:00'), at('01T06:30')),
  event('Waiting for berth', at('01T06:30'), at('01T10:00'), 'delay'),
  event('Weather', at('01T09:00'), at('01T11:00'), 'delay'),
  event('Discharge', at('01T12:00'), at('02T06:00')),
  event('Waiting for berth', at('01T20:00'), at('01T21:15'), 'delay'),
  event('Documents', at('02T07:00'), at('02T08:00')),
];

describe('the summary of a time log', () => {
  it('matches a hand calculation', () => {
    // at port  01T06:00 to 02T08:00 = 26 h
    // delays   waiting 06:30–10:00 (3.5 h) + 20:00–21:15 (1.25 h) = 4.75 h; weather 09:00–11:00 = 2 h
    //          together 06:30–11:00 (4.5 h) + 1.25 h = 5.75 h; 09:00–10:00 is in both, so 4.75 + 2 − 5.75 = 1 h
    // gaps     11:00–12:00 (1 h) and 02T06:00–07:00 (1 h)
    const { timeAtPort, delay, delayOverlap, delays, gaps, start, end, reason } = summarizeTime(CALL);
    expect([timeAtPort, delay, delayOverlap, reason]).toEqual([26, 5.75, 1, null]);
    expect([start, end]).toEqual([new Date(at('01T06:00')), new Date(at('02T08:00'))]);
    expect(delays.map(({ events, hours }) => [events[0]?.type, events.length, hours])).toEqual([
      ['Waiting for berth', 2, 4.75],
      ['Weather', 1, 2],
    ]);
    expect(gaps.map(({ hours, after, before }) => [hours, after.type, before.type])).toEqual([
      [1, 'Weather', 'Discharge'],
      [1, 'Discharge', 'Documents'],
    ]);
    expect(summarizeTime(CALL, 1).gaps).toEqual([]);
  });

  it('does not depend on the order of the events', () => {
    const { timeAtPort, delay, gaps } = summarizeTime([...CALL].reverse());
    expect([timeAtPort, delay, gaps.length]).toEqual([26, 5.75, 2]);
  });

  it('lists what is open, and what cannot be read', () => {
    const open = event('Weather', at('01T09:00'), undefined, 'delay');
    const {
      open: found,
      leftOut,
      delay,
      reason,
    } = summarizeTime([
      ...[open, event('No start', undefined), event('Odd', 'yesterday'), event('Odd end', at('01T09:00'), 'soon')],
      event('Backwards', at('02T09:00'), at('01T09:00')),
    ]);
    expect(found).toEqual([open]);
    expect(leftOut.map(({ event: { type }, reason: why }) => [type, why])).toEqual([
      ['No start', 'It has no start that can be read.'],
      ['Odd', 'It has no start that can be read.'],
      ['Odd end', 'Its end cannot be read.'],
      ['Backwards', 'It ends before it starts.'],
    ]);
    expect([delay, reason]).toEqual([0, 'One delay has no end yet, and no length is counted for it.']);
  });

  it('of an empty log says why there are no figures', () => {
    expect(summarizeTime([])).toMatchObject({
      timeAtPort: null,
      delay: null,
      reason: 'The time log has no event whose start can be read.',
    });
  });

  it('reads offsets and bare dates as the instants they denote', () => {
    const { timeAtPort } = summarizeTime([event('A', '2026-05-01'), event('B', '2026-05-01T14:00:00+02:00')]);
    expect(timeAtPort).toBe(12);
  });
});

describe('laytime', () => {
  const terms = (parts: Partial<LaytimeTerms>): LaytimeTerms => ({
    ...{ allowedHours: 36, noticeHours: 0, from: [], to: [], excluding: [] },
    ...parts,
  });
  const { timed } = summarizeTime(CALL);

  it('matches a hand calculation', () => {
    // from NOR 06:00 + 3 h notice = 09:00 to the end of discharge 02T06:00 = 21 h
    // weather 09:00–11:00 does not count: 19 h used, 2 h excluded, 36 − 19 = 17 h left
    const found = laytimeOf(timed, terms({ from: ['nor'], noticeHours: 3, to: ['discharge'], excluding: ['Weather'] }));
    expect(found).toMatchObject({ usedHours: 19, excludedHours: 2, remainingHours: 17, isOnDemurrage: false });
    expect([found.from, found.to]).toEqual([new Date(at('01T09:00')), new Date(at('02T06:00'))]);
  });

  it('excludes nothing more once used up', () => {
    // 10 h allowed from 06:00: waiting 06:30–10:00 is excluded, so they end at 19:30;
    // waiting 20:00–21:15 counts, being on demurrage: 26 − 3.5 = 22.5 h used
    const found = laytimeOf(timed, terms({ allowedHours: 10, excluding: ['Waiting for berth'] }));
    expect(found).toMatchObject({ usedHours: 22.5, excludedHours: 3.5, remainingHours: -12.5, isOnDemurrage: true });
  });

  it('says why it cannot be computed', () => {
    const reasonOf = (parts: Partial<LaytimeTerms>, log = timed) => laytimeOf(log, terms(parts)).reason;
    expect(reasonOf({ from: ['Anchored'] })).toBe('The time log has no event called Anchored.');
    expect(reasonOf({ to: ['HOFF', 'Hoses off'] })).toBe('The time log has no event called HOFF or Hoses off.');
    expect(reasonOf({ noticeHours: 48 })).toBe('Laytime would end before it begins.');
    expect(reasonOf({}, [])).toBe('The time log has no event.');
  });
});
