import type { Filled } from './fill.ts';
import type { Question } from './questions.ts';

/** A database of one size, with its measurements. */
export interface Measured extends Filled {
  /** The median of each question in milliseconds, by its title. */
  readonly p50: ReadonlyMap<string, number>;
  readonly questions: readonly Question[];
  /** The size of the documents and of their indexes, in bytes per document. */
  readonly bytes: { readonly document: number; readonly indexes: number };
}

/** One question over all sizes. */
export interface Row {
  readonly title: string;
  readonly goal: number | undefined;
  /** The medians in milliseconds, by size. */
  readonly p50: readonly number[];
  /** The ratio of the time over the most jobs to that over the fewest. */
  readonly growth: number;
}

/** The rows of the table, in the order of the questions. */
export function tableOf(measured: readonly Measured[]): readonly Row[] {
  const [fewest] = measured;
  return (fewest?.questions ?? []).map(({ title, goal }) => {
    const p50 = measured.map((size) => size.p50.get(title) ?? Number.NaN);
    return { title, goal, p50, growth: (p50.at(-1) ?? Number.NaN) / (p50[0] ?? Number.NaN) };
  });
}

/** The table as Markdown. */
export function writeTable(measured: readonly Measured[], rows: readonly Row[]): string {
  const sizes = measured.map(({ jobs, results }) => `${grouped(jobs)} jobs, ${grouped(results)} results`);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const figure = (of: number): string => (of < 10 ? of.toFixed(1) : of.toFixed(0));
  return [
    line(['p50 in ms', ...sizes, 'growth', 'goal']),
    line(['---', ...sizes.map(() => '---:'), '---:', '---:']),
    ...rows.map(({ title, p50, growth, goal }) =>
      line([title, ...p50.map(figure), growth.toFixed(1), goal === undefined ? '' : String(goal)]),
    ),
    line(['bytes a document', ...measured.map(({ bytes }) => String(bytes.document)), '', '']),
    line(['bytes of indexes a document', ...measured.map(({ bytes }) => String(bytes.indexes)), '', '']),
  ].join('\n');
}

const grouped = (count: number): string => count.toLocaleString('en-US');
