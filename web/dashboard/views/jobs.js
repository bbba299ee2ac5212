import { ALL_NAMES, COLORS, day, LABELLED, LEFT, labelOf, named, share, timed } from './show.js';

/** @import { DashboardJobsQuery } from '../operations.d.ts' */

const NAMES = /** @type {const} */ ({
  pending: 'Pending',
  active: 'Active',
  complete: 'Complete',
  cancelled: 'Cancelled',
  other: 'Other',
  none: 'No status',
});
/** States that are shown only where jobs have them. */
const RARE = ['other', 'none'];
/** Of the nine moments of eight weeks, what each bar is called. @param {readonly string[]} weeks */
const weekNames = (weeks) => ['Earlier', ...weeks.slice(0, -1).map((from) => day(from)?.slice(5) ?? ''), 'Later'];

/** Jobs by state, and what is late. @param {DashboardJobsQuery} data @param {readonly string[]} weeks */
export function jobsView(data, weeks) {
  const { late, earlier, late0, late1, late2, late3, late4, late5, late6, late7, later } = data;
  const states = /** @type {(keyof typeof NAMES)[]} */ (Object.keys(NAMES))
    .map((state) => ({ state, name: NAMES[state], count: data[state].totalCount }))
    .filter(({ state, count }) => !RARE.includes(state) || count > 0);
  const total = states.reduce((sum, { count }) => sum + count, 0);
  if (total === 0)
    return { title: 'No jobs', empty: 'No job fits the filters. Choose a longer period or another workspace.' };
  const names = weekNames(weeks);
  const byWeek = [earlier, late0, late1, late2, late3, late4, late5, late6, late7, later]
    .map(({ totalCount }, index) => ({
      name: names[index] ?? '',
      from: index === 0 ? 'Earlier' : day(weeks[index - 1]),
      count: totalCount,
    }))
    .slice(0, later.totalCount > 0 ? undefined : -1);
  const bars = (/** @type {{ name: string, count: number }[]} */ of, /** @type {string} */ color) => ({
    xAxis: { type: 'category', data: of.map(({ name }) => name), axisLabel: ALL_NAMES },
    yAxis: { type: 'value', minInterval: 1, name: 'jobs', nameTextStyle: LEFT },
    series: [{ type: 'bar', barMaxWidth: 64, data: of.map(({ count }) => count), itemStyle: { color }, ...LABELLED }],
  });
  const said = (/** @type {{ name: string, count: number }[]} */ of) =>
    of.map(({ name, count }) => `${name}: ${count}`).join(' · ');
  return {
    title:
      late.totalCount === 0
        ? share(0, total, 'job', { one: 'is overdue', many: '', notOne: 'is not overdue' })
        : share(late.totalCount, total, 'job', {
            one: 'should be complete and is not',
            many: 'should be complete and are not',
            notOne: '',
          }),
    note: said(states),
    pictures: [
      {
        caption: 'Jobs by state',
        height: 210,
        text: `Bars of jobs by state. ${said(states)}.`,
        option: bars(states, COLORS.plain),
      },
      ...(late.totalCount === 0
        ? []
        : [
            {
              caption:
                'Late jobs by the week in which they should have been complete (ETC; weeks begin on the day shown)',
              height: 190,
              text: `Bars of late jobs by week. ${said(byWeek)}.`,
              option: bars(byWeek, COLORS.bad),
            },
          ]),
    ],
    tables: [
      {
        name: 'jobs-by-state',
        caption: 'Jobs by state',
        columns: ['State', 'Jobs'],
        rows: states.map(({ name, count }) => ({ cells: [name, count] })),
      },
      {
        name: 'late-by-week',
        caption: 'Late jobs by the week of their ETC',
        columns: ['Week from', 'Late jobs'],
        rows: byWeek.map(({ from, count }) => ({ cells: [from, count] })),
      },
      {
        name: 'late',
        caption:
          late.totalCount > late.nodes.length ? `The ${late.nodes.length} that are longest overdue` : 'Late jobs',
        columns: ['Job', 'State', 'Activity', 'Place', 'ETC'],
        rows: late.nodes.map((job) => ({
          job: job.id,
          cells: [labelOf(job), job.status ?? 'no status', job.activity, named(job.location), timed(day(job.etc))],
        })),
      },
    ],
  };
}
