import {
  below,
  COLORS,
  clock,
  counted,
  isolated,
  LEFT,
  labelOf,
  lyingBars,
  momentOf,
  NAMES,
  named,
  noteOf,
  ofNewest,
  reasonsOf,
  rounded,
  rowHeight,
  sumOf,
  timed,
  tip,
  UNDER,
  vesselsOf,
} from './show.js';

/** @import { DashboardTimeQuery } from '../operations.d.ts' */

const HOUR_MS = 60 * 60_000;
const CALLS = 25;
/** Names below narrow bars, turned; a long one is cut, so that it leaves room for the bars. */
const TURNED = { rotate: 90, fontSize: 10, hideOverlap: true, width: 90, overflow: 'truncate' };

/**
 * Spans as the parts of one lying bar: what is between them is `plain`, and where they overlap the earlier one counts.
 * @param {{ from: number, to: number, name: string, color: string }[]} spans
 * @param {{ from: number, to: number, name: string }} whole
 */
export function partsOf(spans, whole) {
  const parts = [];
  let at = whole.from;
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const from = Math.max(at, span.from);
    if (span.to <= from) continue;
    if (from > at) parts.push({ from: at, to: from, name: whole.name, color: COLORS.plain });
    parts.push({ ...span, from });
    at = span.to;
  }
  return at < whole.to ? [...parts, { from: at, to: whole.to, name: whole.name, color: COLORS.plain }] : parts;
}

/** A picture of lying bars made of parts, one row for each call. @param {{ name: string, job?: string, parts: ReturnType<typeof partsOf> }[]} rows @param {object} xAxis */
export function gantt(rows, xAxis) {
  const most = Math.max(...rows.map(({ parts }) => parts.length));
  return {
    grid: UNDER,
    xAxis: { type: 'value', ...xAxis },
    yAxis: { type: 'category', inverse: true, data: rows.map(({ name }) => name), axisLabel: NAMES },
    tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
    series: Array.from({ length: most }, (_, index) => ({
      type: 'bar',
      stack: 'call',
      barMaxWidth: 18,
      data: rows.map(({ name, job, parts }) => {
        const part = parts[index];
        if (!part) return { value: 0 };
        const hours = (part.to - part.from) / HOUR_MS;
        return {
          value: hours,
          job,
          tip: tip(name, `${isolated(part.name)}, ${rounded(hours, 1)} h`, `${clock(part.from)} to ${clock(part.to)}`),
          itemStyle: { color: part.color },
        };
      }),
    })),
  };
}

/** Time at port with the delays and gaps in it, delays by event type, and laytime. @param {DashboardTimeQuery} data @param {number} allowed */
export function timeView({ jobs }, allowed) {
  const known = jobs.nodes.filter(({ timeSummary }) => timeSummary.timeAtPort !== null);
  if (known.length === 0)
    return {
      title: 'No time logs',
      empty: 'No job of the filters has a time log yet. Choose a longer period, or ask the vendor for it.',
    };
  const done = known.filter(({ status }) => status === 'complete');
  const averaged = done.length > 0 ? done : known;
  const total = sumOf(averaged.map(({ timeSummary }) => timeSummary.timeAtPort ?? 0));
  const mean = rounded(total / averaged.length, 1);
  const delayOf = (/** @type {typeof known} */ calls) => sumOf(calls.map(({ timeSummary }) => timeSummary.delay ?? 0));
  const stay = done.length > 0 ? `Vessels stayed ${mean} h` : `Vessels have so far stayed ${mean} h`;
  const open = known.length - averaged.length;
  const byType = Map.groupBy(
    known.flatMap(({ timeSummary }) => timeSummary.delays),
    ({ eventType }) => named(eventType) ?? 'Without a type',
  );
  const types = [...byType]
    .map(([name, delays]) => ({
      name,
      hours: rounded(sumOf(delays.map(({ hours }) => hours)), 2) ?? 0,
      times: sumOf(delays.map(({ events }) => events.length)),
    }))
    .toSorted((a, b) => b.hours - a.hours)
    .map((type, index) => ({ ...type, color: COLORS.others[index % COLORS.others.length] ?? COLORS.warn }));
  const colorOf = new Map(types.map(({ name, color }) => [name, color]));
  const shown = known.slice(0, CALLS);
  const rows = shown.map(({ id, refNumber, timeSummary }) => {
    const from = momentOf(timeSummary.start);
    const spans = [
      ...timeSummary.delays.flatMap(({ eventType, events }) =>
        events.flatMap(({ start, end }) => {
          const name = named(eventType) ?? 'Without a type';
          return start && end
            ? [{ from: momentOf(start), to: momentOf(end), name, color: colorOf.get(name) ?? COLORS.warn }]
            : [];
        }),
      ),
      ...timeSummary.gaps.map((gap) => ({
        from: momentOf(gap.from),
        to: momentOf(gap.to),
        name: 'Not in the log',
        color: COLORS.gap,
      })),
    ];
    return {
      name: refNumber ?? id,
      job: id,
      parts: partsOf(spans, { from, to: momentOf(timeSummary.end), name: 'Working' }),
    };
  });
  const counting = known.flatMap((job) => {
    const { usedHours } = job.timeSummary.laytime;
    return usedHours === null ? [] : [{ job, usedHours }];
  });
  const partly = known.filter(({ timeSummary }) => timeSummary.reason !== null);
  const over = counting.filter(({ job }) => job.timeSummary.laytime.isOnDemurrage);
  return {
    title: `${stay} on average${total > 0 ? `, ${rounded((100 * delayOf(averaged)) / total, 1)} % of it delayed${averaged.some((call) => partly.includes(call)) ? ' as far as it is counted' : ''}` : ''}; ${over.length} of ${counted(counting.length, 'call')} used more than ${allowed} h of laytime`,
    note: noteOf(
      open > 0 ? `${counted(open, 'call is', 'calls are')} not over, and not in the average.` : undefined,
      partly.length > 0
        ? `${counted(partly.length, 'call is', 'calls are')} not counted in full: ${reasonsOf(partly.map(({ timeSummary }) => timeSummary.reason))}`
        : undefined,
      ofNewest(jobs),
    ),
    pictures: [
      {
        caption:
          shown.length < known.length
            ? `Hours since arrival, of the newest ${shown.length} calls`
            : 'Hours since arrival, by call',
        height:
          rowHeight(
            rows.map(({ name }) => name),
            22,
          ) *
            rows.length +
          60,
        text: `The time log of each call as a bar of hours, with ${types.map(({ name }) => isolated(name)).join(', ') || 'no delays'} and what is not in the log in colours of their own. Mean ${mean} h; ${rounded(delayOf(known), 1)} h delayed altogether.`,
        keys: [{ name: 'Working', color: COLORS.plain }, ...types, { name: 'Not in the log', color: COLORS.gap }],
        option: gantt(rows, below('hours since arrival')),
      },
      ...(types.length === 0
        ? []
        : [
            {
              caption: 'Delays by event type',
              text: `Bars of hours. ${types.map(({ name, hours, times }) => `${isolated(name)}: ${hours} h in ${times}`).join(', ')}.`,
              ...lyingBars({
                unit: 'h',
                color: COLORS.warn,
                bars: types.map(({ name, hours, times, color }) => ({
                  name,
                  value: rounded(hours, 1) ?? 0,
                  color,
                  tip: tip(name, `${hours} h, ${counted(times, 'time')}`),
                })),
              }),
            },
          ]),
      ...(counting.length === 0
        ? []
        : [
            {
              caption: `Laytime used by call, against ${allowed} h allowed`,
              height: 260,
              text: `Bars of laytime used by call; ${over.length === 0 ? 'none is' : `${over.map(({ job, usedHours }) => `${isolated(labelOf(job))} with ${rounded(usedHours, 1)} h`).join(', ')} ${over.length === 1 ? 'is' : 'are'}`} above the ${allowed} h allowed.`,
              keys: [
                { name: 'within', color: COLORS.good },
                { name: 'on demurrage', color: COLORS.bad },
              ],
              option: {
                xAxis: {
                  type: 'category',
                  data: counting.map(({ job }) => labelOf(job)).reverse(),
                  axisLabel: TURNED,
                },
                yAxis: { type: 'value', name: 'h', nameTextStyle: LEFT },
                tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
                series: [
                  {
                    type: 'bar',
                    barMaxWidth: 32,
                    data: counting.toReversed().map(({ job, usedHours }) => ({
                      value: rounded(usedHours, 2),
                      job: job.id,
                      tip: tip(
                        `${isolated(labelOf(job))} ${isolated(vesselsOf(job))}`,
                        `${rounded(usedHours, 1)} h used, ${rounded(job.timeSummary.laytime.remainingHours, 1)} h left`,
                      ),
                      itemStyle: { color: job.timeSummary.laytime.isOnDemurrage ? COLORS.bad : COLORS.good },
                    })),
                    markLine: {
                      silent: true,
                      symbol: 'none',
                      label: { show: false },
                      data: [{ yAxis: allowed }],
                    },
                  },
                ],
              },
            },
          ]),
    ],
    tables: [
      {
        name: 'time-at-port',
        caption: 'Calls',
        columns: [
          'Job',
          'Vessel',
          'Place',
          'From',
          'To',
          'Hours',
          'Delay, h',
          'Gaps, h',
          'Laytime used, h',
          'Left, h',
          'Laytime is unknown because',
          'Not counted in full because',
        ],
        rows: known.map(({ timeSummary, location, ...job }) => ({
          job: job.id,
          cells: [
            labelOf(job),
            vesselsOf(job),
            named(location),
            timed(timeSummary.start),
            timed(timeSummary.end),
            rounded(timeSummary.timeAtPort, 2),
            rounded(timeSummary.delay, 2),
            rounded(sumOf(timeSummary.gaps.map(({ hours }) => hours)), 2),
            rounded(timeSummary.laytime.usedHours, 2),
            rounded(timeSummary.laytime.remainingHours, 2),
            timeSummary.laytime.reason,
            timeSummary.reason,
          ],
        })),
      },
      {
        name: 'delays-by-event-type',
        caption: 'Delays by event type',
        columns: ['Event type', 'Hours', 'Times'],
        rows: types.map(({ name, hours, times }) => ({ cells: [name, hours, times] })),
      },
    ],
  };
}
