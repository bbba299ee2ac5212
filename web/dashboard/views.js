// What each panel makes of its answer: a finding, a picture, a table.

const NAMES = { pending: 'Pending', active: 'Active', complete: 'Complete', cancelled: 'Cancelled' };
/** The name of an axis starts where the picture does. */
const LEFT = { align: 'left' };
const LABELLED = { label: { show: true, position: 'top' } };
const day = (time) => (time ? time.slice(0, 10) : null);
const named = (record) => record?.name ?? null;
const vesselsOf = ({ transports }) => transports.map(({ name }) => name).join(', ');
const rounded = (value, digits = 2) => (value === null || value === undefined ? null : Number(value.toFixed(digits)));
const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Jobs by state, and what is late. */
export function jobsView({ late, ...counts }, weeks) {
  const states = Object.entries(NAMES).map(([state, name]) => ({ name, count: counts[state].totalCount }));
  const total = states.reduce((sum, { count }) => sum + count, 0);
  if (total === 0)
    return { title: 'No jobs', empty: 'No job fits the filters. Choose a longer period or another workspace.' };
  const byWeek = weeks
    .slice(0, -1)
    .map((from, index) => ({ from: day(from), count: counts[`late${index}`].totalCount }));
  const lateWeeks = byWeek.some(({ count }) => count > 0);
  return {
    title: `${late.totalCount} of ${counted(total, 'job')} should be complete and ${late.totalCount === 1 ? 'is' : 'are'} not`,
    option: {
      legend: { top: 0 },
      grid: lateWeeks ? [{ bottom: '54%' }, { top: '54%' }] : {},
      xAxis: [
        { type: 'category', data: states.map(({ name }) => name), gridIndex: 0 },
        ...(lateWeeks ? [{ type: 'category', data: byWeek.map(({ from }) => from), gridIndex: 1 }] : []),
      ],
      yAxis: (lateWeeks ? [0, 1] : [0]).map((gridIndex) => ({ type: 'value', minInterval: 1, gridIndex })),
      series: [
        { type: 'bar', name: 'Jobs by state', data: states.map(({ count }) => count), ...LABELLED },
        ...(lateWeeks
          ? [
              {
                type: 'bar',
                name: 'Late, by the week of their ETC',
                data: byWeek.map(({ count }) => count),
                xAxisIndex: 1,
                yAxisIndex: 1,
                itemStyle: { color: '#c0392b' },
              },
            ]
          : []),
      ],
    },
    columns: ['Late job', 'State', 'Activity', 'Place', 'ETC'],
    rows: late.nodes.map((job) => ({
      job: job.id,
      cells: [
        job.refNumber ?? job.id,
        NAMES[job.status] ?? job.status,
        job.activity,
        named(job.location),
        day(job.etc),
      ],
    })),
    note: `${states.map(({ name, count }) => `${name}: ${count}`).join(' · ')}${lateWeeks || late.totalCount === 0 ? '' : '. None of the late jobs was due in the last eight weeks.'}`,
  };
}

/** Ship against shore, job by job, in the band of tolerance. */
export function reconciliationView({ jobs, workspace }) {
  const compared = jobs.nodes.flatMap((job) => {
    const { transfer, tolerance } = job.quantityReconciliation;
    const figure =
      transfer.find(({ code, percent }) => code === 'TCV' && percent !== null) ??
      transfer.find(({ percent }) => percent !== null);
    return figure ? [{ job, figure, tolerance: tolerance.percent }] : [];
  });
  if (compared.length === 0)
    return {
      title: 'Nothing to reconcile',
      empty:
        'No complete job has quantities of both sides. Wait for the vendor’s quantity results, or choose a longer period.',
    };
  const beyond = compared.filter(({ figure }) => figure.isWithinTolerance === false);
  const band = compared[0].tolerance;
  const routes = workspace.statistics.losses.routes.filter(({ percent }) => percent !== null);
  const worst = routes.toSorted((a, b) => b.percent - a.percent)[0];
  return {
    title: `${beyond.length} of ${counted(compared.length, 'voyage')} beyond ±${band} %`,
    option: {
      xAxis: { type: 'time' },
      yAxis: { type: 'value', name: 'received − given, % of given', nameTextStyle: LEFT, scale: true },
      tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => `${data.name}<br>${data.value[1]} %` },
      series: [
        {
          type: 'scatter',
          symbolSize: 12,
          data: compared.map(({ job, figure }) => ({
            name: echarts.format.encodeHTML(`${job.refNumber ?? job.id} ${vesselsOf(job)}`),
            value: [job.eta, rounded(figure.percent, 3)],
            job: job.id,
            itemStyle: { color: figure.isWithinTolerance ? '#5b8c3a' : '#c0392b' },
          })),
          markArea: {
            silent: true,
            itemStyle: { color: 'rgba(91, 140, 58, 0.12)' },
            data: [[{ yAxis: -band }, { yAxis: band }]],
          },
        },
      ],
    },
    note:
      worst &&
      `Largest loss by route: ${named(worst.from) ?? '?'} to ${named(worst.to) ?? '?'}, ${rounded(worst.percent, 3)} % over ${counted(worst.jobs, 'job')}.`,
    columns: [
      'Job',
      'Vessel',
      'Place',
      'ETA',
      'Figure',
      'Unit',
      'Given',
      'Received',
      'Difference',
      'Percent',
      'Tolerance ± %',
    ],
    rows: compared.map(({ job, figure, tolerance }) => ({
      job: job.id,
      cells: [
        job.refNumber ?? job.id,
        vesselsOf(job),
        named(job.location),
        day(job.eta),
        figure.code,
        figure.symbol,
        figure.given,
        figure.received,
        rounded(figure.difference, 3),
        rounded(figure.percent, 4),
        tolerance,
      ],
    })),
  };
}

/** Time at port, and the delays in it. */
export function timeView({ jobs }) {
  const known = jobs.nodes.filter(({ timeSummary }) => timeSummary.timeAtPort !== null).reverse();
  if (known.length === 0) return { title: 'No time logs', empty: 'No job of the period has a time log yet.' };
  const hours = known.map(({ timeSummary }) => timeSummary.timeAtPort);
  const mean = hours.reduce((sum, each) => sum + each, 0) / hours.length;
  const delayed = known.reduce((sum, { timeSummary }) => sum + (timeSummary.delay ?? 0), 0);
  const bar = (name, color, value) => ({
    type: 'bar',
    stack: 'time',
    name,
    itemStyle: { color },
    data: known.map((job) => ({ value: rounded(value(job.timeSummary), 1), job: job.id })),
  });
  return {
    title: `Vessels stayed ${rounded(mean, 1)} h on average, ${rounded((100 * delayed) / hours.reduce((sum, each) => sum + each, 0), 1)} % of it delayed`,
    option: {
      legend: { top: 0 },
      xAxis: { type: 'category', data: known.map(({ refNumber, id }) => refNumber ?? id), axisLabel: { rotate: 40 } },
      yAxis: { type: 'value', name: 'hours', nameTextStyle: LEFT },
      series: [
        bar('Working', '#4a7fb5', ({ timeAtPort, delay }) => timeAtPort - (delay ?? 0)),
        bar('Delays', '#d98c21', ({ delay }) => delay ?? 0),
      ],
    },
    columns: ['Job', 'Vessel', 'Place', 'From', 'To', 'Hours', 'Delay, h', 'Gaps, h'],
    rows: known.map(({ id, refNumber, timeSummary, location, ...job }) => ({
      job: id,
      cells: [
        refNumber ?? id,
        vesselsOf(job),
        named(location),
        timeSummary.start,
        timeSummary.end,
        rounded(timeSummary.timeAtPort, 1),
        rounded(timeSummary.delay, 1),
        rounded(
          timeSummary.gaps.reduce((sum, gap) => sum + gap.hours, 0),
          1,
        ),
      ],
    })),
  };
}

/** What is off specification, and what waits for a retest. */
export function qualityView({ workspace: { statistics, offSpecification, retestsNeeded } }) {
  const { total, byProduct } = statistics.offSpecification;
  if (total.judged === 0)
    return { title: 'No judged results', empty: 'No result of the period says whether it is on specification.' };
  const products = byProduct.filter(({ judged }) => judged > 0).toSorted((a, b) => a.percent - b.percent);
  const rowsOf = (kind, { nodes }) =>
    nodes.map((result) => ({
      job: result.job?.id,
      cells: [
        result.job?.refNumber ?? result.id,
        kind,
        named(result.test),
        result.value?.text ?? null,
        named(result.uom),
        result.retest?.outcome ?? null,
      ],
    }));
  return {
    title: `${counted(total.offSpecification, 'result')} of ${total.judged} off specification (${rounded(total.percent, 1)} %), ${counted(retestsNeeded.totalCount, 'retest')} needed`,
    height: Math.max(200, 26 * products.length + 60),
    option: {
      xAxis: { type: 'value', name: '%' },
      yAxis: { type: 'category', data: products.map(({ record }) => named(record) ?? 'No product') },
      series: [
        {
          type: 'bar',
          name: 'Off specification, %',
          data: products.map(({ percent }) => rounded(percent, 2)),
          label: { show: true, position: 'right' },
          itemStyle: { color: '#c0392b' },
        },
      ],
    },
    columns: ['Job', 'What', 'Test', 'Result', 'Unit', 'Retest'],
    rows: [...rowsOf('Off specification', offSpecification), ...rowsOf('Retest needed', retestsNeeded)],
  };
}

/** Ratios of ship to shore by voyage, with the band around their mean. */
export function vesselView({ catalogRecord }) {
  const { load, discharge, reason } = catalogRecord?.experienceFactor ?? {};
  const sides = Object.entries({ Loading: load, Discharge: discharge }).filter(
    ([, side]) => side && side.used.length + side.leftOut.length > 0,
  );
  if (sides.length === 0)
    return {
      title: `${named(catalogRecord) ?? 'The vessel'} has no voyages to compare`,
      empty: reason ?? 'Choose another vessel in the filters.',
    };
  const factors = sides.map(([name, { factor }]) => `${name.toLowerCase()} ${factor === null ? 'none yet' : factor}`);
  const point = ({ job, date, ratio }) => ({ name: job.refNumber ?? job.id, value: [date, ratio], job: job.id });
  const series = sides.flatMap(([name, side]) => [
    {
      type: 'scatter',
      name,
      symbolSize: 12,
      data: side.used.map(point),
      ...(side.mean && {
        markArea: {
          silent: true,
          itemStyle: { color: 'rgba(74, 127, 181, 0.12)' },
          data: [[{ yAxis: rounded(side.mean * 0.997, 5) }, { yAxis: rounded(side.mean * 1.003, 5) }]],
        },
      }),
    },
    {
      type: 'scatter',
      name: `${name}, left out`,
      symbol: 'emptyCircle',
      symbolSize: 10,
      data: side.leftOut.filter(({ voyage }) => voyage.ratio !== null).map(({ voyage }) => point(voyage)),
    },
  ]);
  return {
    title: `${catalogRecord.name}: experience factor ${factors.join(', ')}`,
    option: {
      legend: { top: 0 },
      xAxis: { type: 'time' },
      yAxis: { type: 'value', scale: true, name: 'ship ÷ shore', nameTextStyle: LEFT },
      series,
    },
    columns: ['Job', 'Side', 'Date', 'Vessel', 'Shore', 'Ratio', 'Left out because'],
    rows: sides.flatMap(([name, side]) =>
      [
        ...side.used.map((voyage) => ({ voyage, why: null })),
        ...side.leftOut.map(({ voyage, reason: why }) => ({ voyage, why })),
      ].map(({ voyage, why }) => ({
        job: voyage.job.id,
        cells: [
          voyage.job.refNumber ?? voyage.job.id,
          name,
          day(voyage.date),
          voyage.vessel,
          voyage.shore,
          voyage.ratio,
          why,
        ],
      })),
    ),
  };
}
