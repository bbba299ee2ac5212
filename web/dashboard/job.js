// One job: its timeline, results, files and versions.
import { Panel } from './panel.js';
import { html, useEffect, useRef } from './preact.js';

const hour = (time) => new Date(time).getTime();
const HOUR_MS = 60 * 60_000;
/** Day and time, in UTC. */
const clock = (moment) => new Date(moment).toISOString().slice(5, 16).replace('T', ' ');
const tipOf = ({ name, start, end }) => echarts.format.encodeHTML(`${name}: ${clock(start)} to ${clock(end)}`);
const text = (value) => value ?? '–';

/** The time log as bars on a line of time, with delays and gaps in colours of their own. */
function timelineView({ job, timeLogEvents }) {
  const { timeSummary } = job;
  const events = timeLogEvents.nodes.filter(({ start }) => start);
  if (events.length === 0)
    return { title: 'No time log', empty: 'The vendor has not reported a time log for this job.' };
  const delays = timeSummary.delays.flatMap(({ eventType, events: spans }) =>
    spans.map((span) => ({ ...span, name: eventType?.name })),
  );
  const isDelay = ({ eventType, start }) =>
    delays.some((delay) => delay.start === start && delay.name === eventType?.name);
  const spans = [
    ...events.map((event) => ({
      name: text(event.eventType?.name),
      start: event.start,
      end: event.end ?? event.start,
      color: isDelay(event) ? '#d98c21' : '#4a7fb5',
    })),
    ...timeSummary.gaps.map(({ from, to }) => ({ name: 'Not in the log', start: from, end: to, color: '#9aa3b2' })),
  ].toSorted((a, b) => hour(b.start) - hour(a.start));
  const first = hour(spans.at(-1).start);
  const least = (Math.max(...spans.map(({ end }) => hour(end))) - first) / HOUR_MS / 200;
  const { laytime } = timeSummary;
  return {
    title: `${text(timeSummary.timeAtPort)} h at port, ${text(timeSummary.delay)} h of it delayed${laytime.usedHours === null ? '' : `; ${laytime.usedHours} h of 36 h laytime used`}`,
    height: Math.max(180, 24 * spans.length + 60),
    option: {
      xAxis: { type: 'value', axisLabel: { formatter: (hours) => clock(first + hours * HOUR_MS) } },
      yAxis: { type: 'category', data: spans.map(({ name }) => name) },
      tooltip: { trigger: 'item', confine: true, formatter: ({ dataIndex }) => tipOf(spans[dataIndex]) },
      series: [
        {
          type: 'bar',
          stack: 'span',
          silent: true,
          itemStyle: { color: 'transparent' },
          tooltip: { show: false },
          data: spans.map(({ start }) => (hour(start) - first) / HOUR_MS),
        },
        {
          type: 'bar',
          stack: 'span',
          name: 'Event',
          data: spans.map(({ start, end, color }) => ({
            value: Math.max(least, (hour(end) - hour(start)) / HOUR_MS),
            itemStyle: { color },
          })),
        },
      ],
    },
    columns: ['Event', 'Start', 'End', 'Notes'],
    rows: events.map(({ eventType, start, end, notes }) => ({ cells: [text(eventType?.name), start, end, notes] })),
  };
}

function detailsView({ job, qualityResults }) {
  const { completeness, cargo } = job;
  const off = qualityResults.nodes.filter(({ isOffSpec }) => isOffSpec).length;
  return {
    title: `${qualityResults.totalCount} quality results${off ? `, ${off} off specification` : ''}; ${completeness.isComplete ? 'nothing is missing' : `missing: ${completeness.missing.join(', ')}`}`,
    note: [
      `${text(job.activity)} of ${text(cargo.quantity?.toLocaleString('en'))} ${cargo.uom?.name ?? ''} ${cargo.product?.name ?? ''}`,
      job.location?.name,
      `state ${text(job.status)}`,
      `ETA ${text(job.eta)}`,
      `ETC ${text(job.etc)}`,
      `${job.attachments.length} files`,
    ]
      .filter(Boolean)
      .join(' · '),
    columns: ['What', 'Detail', 'Value', 'Unit or time'],
    rows: [
      ...qualityResults.nodes.map(({ test, value, uom, isOffSpec }) => ({
        cells: [isOffSpec ? 'Result, off specification' : 'Result', text(test?.name), value?.text, uom?.name],
      })),
      ...job.quantityResults.flatMap(({ direction, measurements }) =>
        measurements.map(({ code, value, uom }) => ({
          cells: [`Quantity, ${text(direction)}`, code, value, uom?.name],
        })),
      ),
      ...job.attachments.map(({ caption, format, size }) => ({ cells: ['File', caption, size, format] })),
      ...job.versions.map(({ number, modifiedAt, modifier, changes }) => ({
        cells: [
          `Version ${number}`,
          text(modifier?.name),
          changes
            .map(({ path }) => path)
            .slice(0, 6)
            .join(', '),
          modifiedAt,
        ],
      })),
    ],
  };
}

/** A dialog over the dashboard; it closes with Escape. */
export function Job({ id, revision, close }) {
  const place = useRef(null);
  useEffect(() => {
    place.current.showModal();
  }, []);
  const panel = { variables: { job: id }, revision };
  return html`<dialog class="job" ref=${place} onClose=${close} aria-label="Job">
    <form method="dialog"><button>Close</button></form>
    <${Panel} id="details" operation="job" ...${panel} view=${detailsView} />
    <${Panel} id="timeline" operation="timeline" ...${panel} view=${timelineView} />
  </dialog>`;
}
