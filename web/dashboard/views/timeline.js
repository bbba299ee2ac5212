import { COLORS, clock, isolated, momentOf, NAMES, named, noteOf, rounded, rowHeight, timed, tip } from './show.js';

/** @import { DashboardTimelineQuery } from '../operations.d.ts' */

const HOUR_MS = 60 * 60_000;

/** The time log as bars on a line of time, with delays and gaps in colours of their own. @param {DashboardTimelineQuery} data @param {number} allowed */
export function timelineView({ job, timeLogEvents }, allowed) {
  const events = timeLogEvents.nodes.flatMap((event) => (event.start ? [{ ...event, start: event.start }] : []));
  if (!job || events.length === 0)
    return { title: 'No time log', empty: 'The vendor has not reported a time log for this job.' };
  const { timeSummary } = job;
  const delays = timeSummary.delays.flatMap(({ eventType, events: spans }) =>
    spans.map((span) => ({ ...span, name: named(eventType) })),
  );
  const isDelay = (/** @type {(typeof events)[number]} */ { eventType, start }) =>
    delays.some((delay) => delay.start === start && delay.name === named(eventType));
  const spans = [
    ...events.map((event) => ({
      name: named(event.eventType) ?? 'Without a type',
      start: event.start,
      end: event.end ?? event.start,
      notes: event.notes,
      color: isDelay(event) ? COLORS.warn : COLORS.plain,
    })),
    ...timeSummary.gaps.map(({ from, to }) => ({
      name: 'Not in the log',
      start: from,
      end: to,
      notes: null,
      color: COLORS.gap,
    })),
  ].toSorted((a, b) => momentOf(a.start) - momentOf(b.start));
  const first = Math.min(...spans.map(({ start }) => momentOf(start)));
  const least = (Math.max(...spans.map(({ end }) => momentOf(end))) - first) / HOUR_MS / 200;
  const { laytime } = timeSummary;
  const used = laytime.usedHours === null ? '' : `; ${rounded(laytime.usedHours)} h of ${allowed} h laytime used`;
  return {
    title: `${rounded(timeSummary.timeAtPort) ?? '?'} h at port, ${rounded(timeSummary.delay) ?? '?'} h of it delayed${timeSummary.reason ? ' as far as it is counted' : ''}${used}`,
    note: noteOf(
      timeSummary.reason ? isolated(timeSummary.reason) : undefined,
      timeLogEvents.totalCount > timeLogEvents.nodes.length
        ? `Of ${timeLogEvents.totalCount.toLocaleString('en')} events the first ${timeLogEvents.nodes.length} are shown.`
        : undefined,
      laytime.reason
        ? `No laytime: ${isolated(laytime.reason)}`
        : `Laytime ran from ${clock(momentOf(laytime.from))} to ${clock(momentOf(laytime.to))} (UTC); ${(laytime.remainingHours ?? 0) < 0 ? `${rounded(-(laytime.remainingHours ?? 0))} h on demurrage` : `${rounded(laytime.remainingHours)} h are left`}.`,
    ),
    pictures: [
      {
        height: Math.max(
          180,
          rowHeight(
            spans.map(({ name }) => name),
            24,
          ) *
            spans.length +
            60,
        ),
        text: `The time log as bars from ${clock(first)}: ${spans.map(({ name, start, end }) => `${isolated(name)} ${clock(momentOf(start))} to ${clock(momentOf(end))}`).join('; ')}.`,
        keys: [
          { name: 'Event', color: COLORS.plain },
          { name: 'Delay', color: COLORS.warn },
          { name: 'Not in the log', color: COLORS.gap },
        ],
        option: {
          grid: { top: 12 },
          xAxis: {
            type: 'value',
            axisLabel: {
              formatter: (/** @type {number} */ hours) => clock(first + hours * HOUR_MS),
              hideOverlap: true,
            },
          },
          yAxis: { type: 'category', inverse: true, data: spans.map(({ name }) => name), axisLabel: NAMES },
          tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
          series: [
            {
              type: 'bar',
              stack: 'span',
              silent: true,
              itemStyle: { color: 'transparent' },
              tooltip: { show: false },
              data: spans.map(({ start }) => (momentOf(start) - first) / HOUR_MS),
            },
            {
              type: 'bar',
              stack: 'span',
              data: spans.map(({ name, start, end, color }) => ({
                value: Math.max(least, (momentOf(end) - momentOf(start)) / HOUR_MS),
                tip: tip(`${isolated(name)}: ${clock(momentOf(start))} to ${clock(momentOf(end))}`),
                itemStyle: { color },
              })),
            },
          ],
        },
      },
    ],
    tables: [
      {
        name: 'time-log',
        caption: 'Time log',
        columns: ['Event', 'Start', 'End', 'Hours', 'Notes'],
        rows: spans.map(({ name, start, end, notes }) => ({
          cells: [name, timed(start), timed(end), rounded((momentOf(end) - momentOf(start)) / HOUR_MS, 2), notes],
        })),
      },
    ],
  };
}
