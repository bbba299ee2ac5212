import { OURS, RIVALS } from './contestants.ts';
import { figureOf, ratioOf, type Spread } from './figures.ts';
import type { Operation } from './operations.ts';
import type { BenchOptions } from './options.ts';
import type { Sample } from './tournament.ts';

const MEGABYTE = 1024 * 1024;
const CONTESTANTS = [OURS, ...RIVALS];

/** What one run found. */
export interface Outcome {
  readonly operations: readonly Operation[];
  readonly options: BenchOptions;
  readonly samples: readonly Sample[];
  /** Bytes of each contestant after the run. */
  readonly memory: Readonly<Record<string, number | undefined>>;
}

/** The outcome as tables for people. */
export function reportOf(outcome: Outcome): string {
  const { operations, options, memory } = outcome;
  const alone = options.quick
    ? []
    : ['', 'Latency of one connection, ours ÷ theirs (p50): median (min to max)', ...ratioRows(outcome, 1, 'p50')];
  return [
    '',
    `Requests per second, ours ÷ theirs, ${options.connections} connections: median (min to max) of ${options.rounds} rounds`,
    ...ratioRows(outcome, options.connections, 'perSecond'),
    ...alone,
    '',
    ...table([
      ['', ...CONTESTANTS.map(({ name }) => `${name} req/s`), ...CONTESTANTS.map(({ name }) => `${name} p50/p99 ms`)],
      ...operations.map(({ name }) => [
        name,
        ...CONTESTANTS.map((one) => figures(outcome, name, one.name, 'perSecond').median.toFixed(0)),
        ...CONTESTANTS.map((one) =>
          (['p50', 'p99'] as const)
            .map((measure) => figures(outcome, name, one.name, measure).median.toFixed(1))
            .join(' / '),
        ),
      ]),
    ]),
    '',
    `Memory after the run: ${CONTESTANTS.map(({ name }) => `${name} ${megabytes(memory[name])}`).join(', ')}`,
  ].join('\n');
}

/** The outcome for programs: medians of ratios by operation and rival, and everything that they were made of. */
export function jsonOf(outcome: Outcome, environment: object): string {
  const { operations, options, samples, memory } = outcome;
  const ratiosBy = (pick: (spread: Spread) => unknown) =>
    byName(operations, ({ name }) =>
      byName(RIVALS, (rival) => pick(ratioOf(loaded(outcome, name, options.connections), rival.name, 'perSecond'))),
    );
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  const result = {
    ratios: ratiosBy(({ median }) => rounded(median)),
    spreads: ratiosBy(({ min, median, max }) => ({ min: rounded(min), median: rounded(median), max: rounded(max) })),
    environment,
    options,
    memory,
    samples,
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

function byName<T extends { readonly name: string }, R>(items: readonly T[], value: (item: T) => R): Record<string, R> {
  return Object.fromEntries(items.map((item) => [item.name, value(item)]));
}

const loaded = ({ samples }: Outcome, operation: string, connections: number): Sample[] =>
  samples.filter((sample) => sample.operation === operation && sample.connections === connections);

const figures = (
  outcome: Outcome,
  operation: string,
  contestant: string,
  measure: 'perSecond' | 'p50' | 'p99',
): Spread => figureOf(loaded(outcome, operation, outcome.options.connections), contestant, measure);

function ratioRows(outcome: Outcome, connections: number, measure: 'perSecond' | 'p50'): string[] {
  const rows = outcome.operations.map(({ name, title }) => [
    name,
    title,
    ...RIVALS.map((rival) => shown(ratioOf(loaded(outcome, name, connections), rival.name, measure))),
  ]);
  return table([['', '', ...RIVALS.map(({ title }) => title)], ...rows]);
}

const shown = ({ min, median, max }: Spread): string => `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;

const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? '?' : `${(bytes / MEGABYTE).toFixed(0)} MB`;

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}
