import { OURS, RIVALS } from '../contestants.ts';
import type { Memory } from '../load/rest.ts';
import type { BenchOptions } from '../options.ts';
import { connectionsOf, type Operation } from '../rows/operation.ts';
import { figureOf, type Measure, ratioOf, type Spread } from './figures.ts';
import type { Sample } from './tournament.ts';

const MEGABYTE = 1024 * 1024;
const CONTESTANTS = [OURS, ...RIVALS];

/** The results of one run. */
export interface Outcome {
  readonly operations: readonly Operation[];
  readonly options: BenchOptions;
  readonly samples: readonly Sample[];
  /** The memory of each contestant right after the last request. */
  readonly memory: Memory;
  /** The memory once the contestants are idle; not in a quick run. */
  readonly atRest?: Memory;
}

/** The outcome as human-readable tables. */
export function reportOf(outcome: Outcome): string {
  const { options, memory, atRest } = outcome;
  const { connections, rounds } = options;
  const many = (operation: Operation): number => connectionsOf(operation, options);
  const alone = ratioTable('Latency of one connection (p50), ours ÷ theirs', outcome, 'p50', () => 1);
  return [
    ...ratioTable(`Requests per second, ours ÷ theirs, ${connections} connections`, outcome, 'perSecond', many),
    ...ratioTable('Processor time of a request, ours ÷ theirs', outcome, 'processor', many),
    ...(options.quick ? [] : alone),
    ...figureTable(outcome),
    '',
    `Ratios are medians (min to max) of ${rounds} rounds, figures are medians.`,
    `Memory right after the run: ${memoryLine(memory)}.`,
    ...(atRest ? [`Memory at rest after the run: ${memoryLine(atRest)}.`] : []),
  ].join('\n');
}

/** The outcome for programs: medians of ratios by operation and rival, and all data behind them. */
export function jsonOf(outcome: Outcome, environment: object): string {
  const { operations, options, samples, memory, atRest } = outcome;
  const ratiosBy = (pick: (spread: Spread) => unknown) =>
    byName(operations, (operation) => {
      const own = samplesOf(outcome, operation, connectionsOf(operation, options));
      return byName(RIVALS, (rival) => pick(ratioOf(own, rival.name, 'perSecond')));
    });
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  const result = {
    ratios: ratiosBy(({ median }) => rounded(median)),
    spreads: ratiosBy(({ min, median, max }) => ({ min: rounded(min), median: rounded(median), max: rounded(max) })),
    environment,
    options,
    memory,
    atRest,
    samples,
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

function byName<T extends { readonly name: string }, R>(items: readonly T[], value: (item: T) => R): Record<string, R> {
  return Object.fromEntries(items.map((item) => [item.name, value(item)]));
}

const samplesOf = ({ samples }: Outcome, { name }: Operation, connections: number): Sample[] =>
  samples.filter((sample) => sample.operation === name && sample.connections === connections);

function ratioTable(
  title: string,
  outcome: Outcome,
  measure: Measure,
  connections: (operation: Operation) => number,
): string[] {
  const rows = outcome.operations.map((operation) => [
    operation.name,
    operation.title,
    ...RIVALS.map((rival) =>
      shown(ratioOf(samplesOf(outcome, operation, connections(operation)), rival.name, measure)),
    ),
  ]);
  return ['', title, ...table([['', '', ...RIVALS.map((rival) => `÷ ${rival.title}`)], ...rows])];
}

function figureTable(outcome: Outcome): string[] {
  const { operations, options } = outcome;
  const rows = operations.flatMap((operation) =>
    CONTESTANTS.map((contestant) => {
      const of = (connections: number, measure: Measure, digits: number): string => {
        const { median } = figureOf(samplesOf(outcome, operation, connections), contestant.name, measure);
        return Number.isNaN(median) ? '-' : median.toFixed(digits);
      };
      const many = connectionsOf(operation, options);
      return [
        ...[operation.name, contestant.name, of(many, 'perSecond', 0), of(many, 'p50', 1), of(many, 'p99', 1)],
        ...[of(many, 'processor', 0), of(1, 'p50', 2)],
      ];
    }),
  );
  const head = ['', '', 'requests/s', 'p50 ms', 'p99 ms', 'processor µs a request', 'p50 ms, one connection'];
  return ['', ...table([head, ...rows])];
}

const shown = ({ min, median, max }: Spread): string =>
  Number.isNaN(median) ? '-' : `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;

const memoryLine = (memory: Memory): string =>
  CONTESTANTS.map(({ name }) => `${name} ${megabytes(memory[name])}`).join(', ');

const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? '?' : `${(bytes / MEGABYTE).toFixed(0)} MB`;

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}
