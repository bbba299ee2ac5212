// How figures are shown: in words, in colours, in tables.

/**
 * A picture: ECharts' own option, how high it is, and what it says to those who cannot see it. `keys` are what its colours mean.
 * @typedef {{ option: object, height?: number, text: string, caption?: string, keys?: { name: string, color: string }[] }} Picture
 */
/**
 * A moment, or a day, with any offset: shown as people read it, in UTC, and exactly to programs.
 * @typedef {{ time: string }} Time
 * A file, which its cell saves: the path of its contents.
 * @typedef {{ name: string, file: string }} File
 * @typedef {string | number | Time | File | null | undefined} Cell
 */
/**
 * Figures; `job` of a row is opened by its first cell. The name is that of the CSV file.
 * @typedef {{ name: string, caption: string, columns: string[], rows: { job?: string | null | undefined, cells: Cell[] }[] }} Table
 */
/**
 * What a panel shows: a title that is its finding, then pictures and tables, or `empty`, which says what to do.
 * @typedef {{ title: string, empty?: string | undefined, note?: string | (string | Time)[] | undefined, pictures?: Picture[], tables?: Table[] }} View
 */

/** Colours that can be told apart in both schemes, and by those who are colour-blind. */
export const COLORS = {
  good: '#3f8f5b',
  bad: '#c8452f',
  plain: '#4a7fb5',
  warn: '#d98c21',
  gap: '#9aa3b2',
  others: ['#d98c21', '#8e5ea8', '#2a9d9d', '#b5657a', '#7a7f2e'],
};
/** The name of an axis starts where the picture does. */
export const LEFT = { align: /** @type {const} */ ('left') };
/** Room above and below a picture whose axis has its name below it. */
export const UNDER = { top: 12, bottom: 26 };
/** The name of a lying axis. @param {string} name */
export const below = (name) => ({ name, nameLocation: /** @type {const} */ ('middle'), nameGap: 26 });
/** The names of lying bars stand at the left, also where some bars go left from zero. */
export const ASIDE = { onZero: false };
/** Room for figures beside bars on both sides. */
const ROOM = { boundaryGap: /** @type {[string, string]} */ (['12%', '4%']) };
/** A line of time that does not put marks on its ends. */
export const DATES = {
  type: /** @type {const} */ ('time'),
  axisLabel: {
    hideOverlap: true,
    formatter: { year: '{yyyy}', month: '{MMM} {yyyy}', day: '{d} {MMM}', hour: '{d} {MMM} {HH}:{mm}' },
  },
  boundaryGap: ['3%', '3%'],
};
/** Each bar has its figure beside it. */
export const LABELLED = { label: { show: true, position: 'top', textBorderColor: 'none' } };

/**
 * What others have written, inside a sentence or a label of ours: whatever its direction, the words around it keep theirs
 * (first strong isolate to pop directional isolate, of which it may bring none of its own). A text alone in its place needs none.
 * @param {string} text
 */
export const isolated = (text) => (text ? `\u2068${text.replace(/[\p{Cc}\p{Zp}\u2066-\u2069]/gu, ' ')}\u2069` : '');
/** The same without what isolates it, for programs. @param {string} text */
export const plain = (text) => text.replace(/[\u2068\u2069]/g, '');

/** The moment of a time with any offset, or of a day, which begins at midnight UTC; a leap second is the next second. Not a number where there is no time. @param {string | null | undefined} time */
export const momentOf = (time = null) => {
  const known = time?.replace(/(:\d\d):60/, '$1:59') ?? ''; // no Date has a sixtieth second
  return Date.parse(known) + (known === time ? 0 : 1_000);
};
/** The day of a time in UTC, as the filters have it, whatever offset it was sent with. @param {string | null | undefined} time */
export const day = (time) => {
  const moment = new Date(momentOf(time));
  return Number.isNaN(moment.getTime()) ? (time?.slice(0, 10) ?? null) : moment.toISOString().slice(0, 10);
};
/** What a table or note has of a time. @param {string | null | undefined} time @returns {Time | null} */
export const timed = (time) => (time ? { time } : null);
/** A time in UTC, whatever offset it was sent with; a day alone is left as it is. @param {Time} time */
export const utc = ({ time }) => {
  const moment = momentOf(time);
  return !time.includes(':') || Number.isNaN(moment) ? time : new Date(moment).toISOString();
};
/** The same as people read it, to the second if it has any. @param {Time} time */
export const readable = (time) =>
  utc(time).replace(
    /^(.+)T(\d\d:\d\d)(:\d\d)\.\d{3}Z$/,
    (_, date, minute, second) => `${date} ${minute}${second === ':00' ? '' : second} UTC`,
  );
/** Of which jobs statistics are, whose period ends before its end. @param {{ readonly from: string, readonly to: string }} period */
export const ofCreated = ({ from, to }) =>
  `of jobs created from ${day(from)} to ${day(new Date(momentOf(to) - 1).toISOString())}`;
/** Says so where statistics go by records that are chosen. @param {boolean} isOfRecords */
export const withSynonyms = (isOfRecords) =>
  isOfRecords ? 'What is of created jobs includes those that name a synonym of what is chosen.' : undefined;
/** Day and time of a moment, in UTC; without the year. @param {number} moment */
export const clock = (moment) =>
  Number.isNaN(moment) ? '?' : new Date(moment).toISOString().slice(5, 16).replace('T', ' ');
/** @param {{ readonly name: string | null } | null | undefined} record */
export const named = (record) => record?.name ?? null;
/** @param {{ readonly transports: readonly { readonly name: string | null }[] }} job */
export const vesselsOf = ({ transports }) => transports.map(({ name }) => name).join(', ');
/** @param {{ readonly id: string, readonly refNumber: string | null }} job */
export const labelOf = ({ id, refNumber }) => refNumber ?? id;
/** Without the sign of what is rounded to zero. @param {number | null | undefined} value @returns {number | null} */
export const rounded = (value, digits = 2) =>
  value === null || value === undefined ? null : Number(value.toFixed(digits)) + 0;
/** @param {number} count @param {string} one */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
/**
 * How many of all, as the subject of a sentence whose verb is singular or plural: “2 of 3 jobs are late”, “None of 3 jobs is late”,
 * “The only job is late”, “The only job is not late”.
 * @param {number} count @param {number} all @param {string} one @param {{ one: string, many: string, notOne: string }} said
 */
export const share = (count, all, one, said) => {
  if (all === 1) return `The only ${one} ${count === 1 ? said.one : said.notOne}`;
  const subject = `${count === 0 ? 'None' : count.toLocaleString('en')} of ${counted(all, one)}`;
  return `${subject} ${count > 1 ? said.many : said.one}`;
};
/** Says so where not every job of the filters was looked at. @param {{ readonly totalCount: number, readonly nodes: readonly unknown[] }} jobs @param {string} [verb] */
export const ofNewest = ({ totalCount, nodes }, verb = 'are looked at') =>
  totalCount > nodes.length
    ? `Of ${totalCount.toLocaleString('en')} jobs the newest ${nodes.length} ${verb}; choose a period for others.`
    : undefined;
/** Says so where jobs have no place on a line of time. @param {readonly { readonly eta: string | null }[]} jobs */
export const withoutEta = (jobs) => {
  const missing = jobs.filter(({ eta }) => Number.isNaN(momentOf(eta)));
  return missing.length > 0
    ? `${counted(missing.length, 'job has', 'jobs have')} no ETA, and ${missing.length === 1 ? 'is' : 'are'} in the table alone.`
    : undefined;
};
const REASONS = 3;
/** The reasons of the service, each once; of many kinds the first. @param {readonly (string | null)[]} reasons */
export const reasonsOf = (reasons) => {
  const kinds = [...new Set(reasons)].filter((reason) => reason !== null);
  const said = kinds.slice(0, REASONS).map((reason) => isolated(reason));
  return [...said, ...(kinds.length > REASONS ? ['The table has the others.'] : [])].join(' ');
};
/** @param {readonly (string | undefined)[]} sentences */
export const noteOf = (...sentences) => sentences.filter(Boolean).join(' ') || undefined;
/** @param {readonly number[]} values */
export const sumOf = (values) => values.reduce((sum, each) => sum + each, 0);
/** For the tip of a mark, which is HTML. @param {readonly unknown[]} lines */
export const tip = (...lines) =>
  lines
    .filter((line) => line !== null && line !== undefined && line !== '')
    .map((line) => echarts.format.encodeHTML(String(line)))
    .join('<br>');

const LINE = 14;
const CHARACTER = 6.2;
/** The widths of a window below which pictures have less room for names. */
const [narrow, narrowest] = [matchMedia('(width < 600px)'), matchMedia('(width < 400px)')];
const roomForNames = () => (narrowest.matches ? 96 : narrow.matches ? 120 : 190);
/** How many characters of a name are in a picture: six lines, a little generously, as words are not split. */
const longest = () => Math.floor((6 * roomForNames()) / (CHARACTER * 1.15));
/** Calls `take` whenever pictures have another room for names than before; returns how to end it. @param {() => void} take */
export function onRoom(take) {
  for (const width of [narrow, narrowest]) width.addEventListener('change', take);
  return () => {
    for (const width of [narrow, narrowest]) width.removeEventListener('change', take);
  };
}
/** What people take for one letter: also one with marks, or a picture of several parts. */
const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** As much of a name as there is room for in a picture, in whole letters; tips and tables have all of it. @param {string} name */
export const shortened = (name) =>
  name.length > longest() ? `${name.slice(0, LETTERS.segment(name).containing(longest() - 1)?.index)}…` : name;
/** The names of lying bars, in lines. */
export const NAMES = {
  get width() {
    return roomForNames();
  },
  overflow: 'break',
  lineHeight: LINE,
  formatter: shortened,
};
/** How many lines a name takes. @param {string} name */
const linesOf = (name) => Math.ceil((shortened(name).length * CHARACTER * 1.15) / roomForNames());

/** How high each row of a picture has to be for the longest of the names at its left. @param {readonly string[]} names */
export const rowHeight = (names, least = 26) => Math.max(least, ...names.map((name) => 8 + LINE * linesOf(name)));
/** All names below standing bars, which are turned where there is no room for them side by side. */
export const ALL_NAMES = {
  interval: 0,
  get rotate() {
    return narrow.matches ? 45 : 0;
  },
};

/** Bars that lie, each with its figure; the longest on top. @param {{ bars: { name: string, value: number, tip?: string, color?: string }[], unit: string, color: string }} parts */
export function lyingBars({ bars, unit, color }) {
  return {
    height: Math.max(140, rowHeight(bars.map(({ name }) => name)) * bars.length + 60),
    option: {
      grid: { ...UNDER, right: 48 },
      xAxis: { type: 'value', ...below(unit), ...(bars.some(({ value }) => value < 0) && ROOM) },
      yAxis: {
        type: 'category',
        data: bars.map(({ name }) => name),
        inverse: true,
        axisLine: ASIDE,
        axisLabel: NAMES,
      },
      tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
      series: [
        {
          type: 'bar',
          barMaxWidth: 18,
          data: bars.map((bar) => ({
            value: bar.value,
            tip: bar.tip ?? tip(`${bar.name}: ${bar.value} ${unit}`),
            itemStyle: { color: bar.color ?? color },
            label: { show: true, position: bar.value < 0 ? 'left' : 'right', textBorderColor: 'none' },
          })),
        },
      ],
    },
  };
}
