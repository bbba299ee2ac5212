import type { Histogram, Registry } from 'prom-client';

/** The buckets that OpenTelemetry's conventions give for durations, in seconds. */
export const SECONDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** What tells one series of a histogram from the others. */
type Key = string | number;
type Labels = Readonly<Record<string, Key>>;

/** One line of a metric, as prom-client writes it and adds it up over processes. */
interface Line {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramParts {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** The values of the labels of a series, in the order of their names; asked for when it is observed for the first time. */
  readonly labelsOf: (...keys: [Key, Key, Key]) => readonly Key[];
}

/**
 * A histogram of durations in a registry of prom-client, with the lines that prom-client's own would have. Its own makes a
 * text of the labels for each observation, which costs more than one per cent of a read; this finds a series by its keys.
 */
export class DurationHistogram {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #labelsOf: HistogramParts['labelsOf'];
  #byKeys = new Map<Key, Map<Key, Map<Key, DurationSeries>>>();
  #series: DurationSeries[] = [];

  constructor({ name, help, labelNames, labelsOf }: HistogramParts, registry: Registry) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.#labelsOf = labelsOf;
    registry.registerMetric(this as unknown as Histogram); // which asks a metric for no more than this has
  }

  /** The series of three keys; one that needs fewer leaves the last ones empty. */
  series(first: Key, second: Key, third: Key): DurationSeries {
    return this.#byKeys.get(first)?.get(second)?.get(third) ?? this.#begin(first, second, third);
  }

  /** What prom-client asks for when the metrics are read. */
  get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: this.#series.flatMap((one) => one.lines(name)) });
  }

  reset(): void {
    this.#byKeys = new Map();
    this.#series = [];
  }

  #begin(first: Key, second: Key, third: Key): DurationSeries {
    const values = this.#labelsOf(first, second, third);
    const series = new DurationSeries(Object.fromEntries(this.labelNames.map((name, at) => [name, values[at] ?? ''])));
    const bySecond = this.#byKeys.get(first) ?? new Map<Key, Map<Key, DurationSeries>>();
    const byThird = bySecond.get(second) ?? new Map<Key, DurationSeries>();
    this.#byKeys.set(first, bySecond.set(second, byThird.set(third, series)));
    this.#series.push(series);
    return series;
  }
}

/** The durations that have the same labels. */
class DurationSeries {
  readonly #labels: Labels;
  /** How many fell into each bucket alone, the last being those above all bounds. */
  readonly #counts = new Float64Array(SECONDS.length + 1);
  #sum = 0;

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  observe(seconds: number): void {
    let bucket = 0;
    while ((SECONDS[bucket] ?? Number.POSITIVE_INFINITY) < seconds) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  lines(name: string): Line[] {
    const labels = this.#labels;
    let count = 0;
    const buckets = Array.from(this.#counts, (own, at): Line => {
      count += own;
      return { metricName: `${name}_bucket`, labels: { le: SECONDS[at] ?? '+Inf', ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
