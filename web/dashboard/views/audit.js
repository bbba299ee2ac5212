import {
  COLORS,
  DATES,
  day,
  isolated,
  labelOf,
  momentOf,
  NAMES,
  named,
  noteOf,
  ofNewest,
  rounded,
  rowHeight,
  share,
  timed,
  tip,
  vesselsOf,
  withoutEta,
} from './show.js';

/** @import { DashboardAuditQuery, FigureRule } from '../operations.d.ts' */

/** What each rule is about, in the words of a reader. @type {Readonly<Record<FigureRule, string>>} */
const RULES = {
  VOLUME_ORDER: 'NSV ≤ GSV ≤ GOV',
  NET_VOLUME: 'NSV = GSV less S&W',
  SEDIMENT_WATER_SUM: 'S&W = sediment + water',
  API_DENSITY: 'API gravity and density',
  CORRECTION_FACTOR: 'Volume correction factor',
  TEMPERATURE_GRAVITY_SWAPPED: 'Temperature and gravity swapped',
  PERCENTAGE_HISTORY: 'Percentage unlike its history',
  SHIP_SHORE_FACTOR: 'Ship to shore unlike the vessel',
  ACTIVE_SHORE_TANK: 'Active shore tank',
  REQUESTED_RESULT_MISSING: 'Requested result missing',
  OFF_SPECIFICATION_WITHOUT_RETEST: 'Off specification, no retest',
  SPECIFICATION_DISAGREES: 'Verdict unlike the specification',
};
const SEVERITIES = /** @type {const} */ ([
  { severity: 'ERROR', name: 'Error: the figures cannot all be right', color: COLORS.bad, symbol: 'diamond' },
  { severity: 'WARNING', name: 'Warning: needs an explanation', color: COLORS.warn, symbol: 'circle' },
]);

/** What the figure audit finds, by rule and severity. @param {DashboardAuditQuery} data */
export function auditView({ all, failed }) {
  if (all.totalCount === 0)
    return { title: 'No jobs', empty: 'No job fits the filters. Choose a longer period or another workspace.' };
  const findings = failed.nodes.flatMap((job) => job.figureAudit.findings.map((finding) => ({ job, ...finding })));
  const rules = /** @type {FigureRule[]} */ (Object.keys(RULES)).map((rule) => {
    const found = findings.filter((finding) => finding.rule === rule);
    return { rule, found, jobs: new Set(found.map(({ job }) => job.id)).size };
  });
  const broken = rules.filter(({ found }) => found.length > 0).toSorted((a, b) => b.found.length - a.found.length);
  const label = (/** @type {FigureRule} */ rule, /** @type {number} */ count) => `${RULES[rule]} (${count})`;
  const labels = new Map(broken.map(({ rule, found }) => [rule, label(rule, found.length)]));
  return {
    title: share(failed.totalCount, all.totalCount, 'job', {
      one: 'has figures that cannot be right or need an explanation',
      many: 'have figures that cannot be right or need an explanation',
      notOne: 'has no figures that cannot be right or need an explanation',
    }),
    note: noteOf(
      ofNewest(failed, 'are shown'),
      withoutEta(failed.nodes),
      broken.length > 0 ? 'Choose a mark or a job of the table for its figures.' : undefined,
    ),
    pictures:
      broken.length === 0
        ? []
        : [
            {
              caption: 'Findings by rule and severity, each at the ETA of its job',
              height: rowHeight([...labels.values()], 30) * broken.length + 70,
              text: `Each finding as a point, by rule and the ETA of its job. ${broken.map(({ rule, found }) => `${RULES[rule]}: ${found.length}`).join('; ')}. ${SEVERITIES.map(({ severity }) => `${findings.filter((finding) => finding.severity === severity).length} of severity ${severity.toLowerCase()}`).join(', ')}.`,
              keys: SEVERITIES.map(({ name, color }) => ({ name, color })),
              option: {
                grid: { top: 12 },
                xAxis: DATES,
                yAxis: { type: 'category', inverse: true, data: [...labels.values()], axisLabel: NAMES },
                tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
                series: SEVERITIES.map(({ severity, color, symbol }) => ({
                  type: 'scatter',
                  symbol,
                  symbolSize: 13,
                  itemStyle: { color },
                  data: findings
                    .filter((finding) => finding.severity === severity)
                    .map(({ job, rule, message }) => ({
                      value: [momentOf(job.eta), labels.get(rule)],
                      job: job.id,
                      tip: tip(`${isolated(labelOf(job))} ${isolated(vesselsOf(job))}`, RULES[rule], message),
                    })),
                })),
              },
            },
          ],
    tables: [
      {
        name: 'findings',
        caption: 'Findings',
        columns: [
          'Job',
          'Vessel',
          'Place',
          'ETA',
          'Rule',
          'Severity',
          'What is wrong',
          'Expected',
          'Actual',
          'Difference',
        ],
        rows: findings.map(({ job, rule, severity, message, expected, actual, difference }) => ({
          job: job.id,
          cells: [
            labelOf(job),
            vesselsOf(job),
            named(job.location),
            timed(day(job.eta)),
            rule,
            severity,
            message,
            rounded(expected, 6),
            rounded(actual, 6),
            rounded(difference, 6),
          ],
        })),
      },
      {
        name: 'rules',
        caption: 'Rules',
        columns: ['Rule', 'What it holds together', 'Jobs with findings', 'Findings'],
        rows: rules.map(({ rule, jobs: count, found }) => ({
          cells: [rule, RULES[rule], count, found.length],
        })),
      },
    ],
  };
}
