import type { Measured, Row } from './table.ts';

const ROW = 22;
const TOP = 56;
const LEFT = 290;
const RIGHT = 40;
const WIDTH = 900;
const COLORS = ['#8ab4d8', '#2f6fa7', '#0d2c4a'];
const TEXT = 'font-family="system-ui, sans-serif" font-size="12" fill="#222"';

/** The medians of every question as an SVG plot: one dot per size, on a logarithmic scale. */
export function plotOf(measured: readonly Measured[], rows: readonly Row[]): string {
  const times = rows.flatMap(({ p50 }) => p50);
  const from = Math.floor(Math.log10(Math.min(...times)));
  const to = Math.ceil(Math.log10(Math.max(...times)));
  const x = (ms: number): number => LEFT + ((Math.log10(ms) - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const height = TOP + rows.length * ROW + 16;
  const y = (index: number): number => TOP + index * ROW + ROW / 2;
  const grid = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i)).map(
    (ms) =>
      `<line x1="${x(ms)}" x2="${x(ms)}" y1="${TOP - 6}" y2="${height - 12}" stroke="#ddd"/>` +
      text(x(ms), TOP - 12, `${ms} ms`, 'middle'),
  );
  const legend = measured.map(
    ({ jobs }, i) =>
      `<circle cx="${LEFT + i * 150}" cy="16" r="5" fill="${colorOf(i)}"/>` +
      text(LEFT + 10 + i * 150, 20, `${jobs.toLocaleString('en-US')} jobs`, 'start'),
  );
  const lines = rows.map(({ title, p50, goal }, index) => {
    const middle = y(index);
    const ends = [Math.min(...p50), Math.max(...p50)].map(x);
    const dots = p50.map((ms, i) => `<circle cx="${x(ms)}" cy="${middle}" r="5" fill="${colorOf(i)}"/>`);
    const limit =
      goal === undefined ? '' : `<path d="M${x(goal)} ${middle - 8}v16" stroke="#c0392b" stroke-width="2"/>`;
    const span = `<line x1="${ends[0]}" x2="${ends[1]}" y1="${middle}" y2="${middle}" stroke="#9bb" stroke-width="2"/>`;
    return [text(LEFT - 12, middle + 4, title, 'end'), span, limit, ...dots].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    '<title>Median time of each question, by the number of jobs; the red marks are the goals</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...legend,
    ...grid,
    ...lines,
    '</svg>\n',
  ].join('\n');
}

const colorOf = (index: number): string => COLORS[index] ?? '#000';

const text = (x: number, y: number, content: string, anchor: string): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" ${TEXT}>${content}</text>`;
