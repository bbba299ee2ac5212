import type { Histogram, Registry } from 'prom-client';

/** OpenTelemetry's conventional buckets for durations, in seconds. */
export const SECONDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Part of the key of a series in a histogram. */
type Key = string | number;
type Labels = Readonly<Record<string, Key>>;

/** One line of a metric, as prom-client writes it and sums it across processes. */
interface Line {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramParts {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** The label values of a series, in the order of `labelNames`; called on its first observation. */
  readonly labelsOf: (...keys: [Key, Key, Key]) => readonly Key[];
}

/**
 * A histogram of durations in a prom-client registry, with the same output as prom-client's own. That one builds a string
 * of the labels on each observation, which costs more than one per cent of a read; this one finds a series by its keys.
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
    registry.registerMetric(this as unknown as Histogram); // which uses only members that this class has
  }

  /** The series of up to three keys; unused ones are empty. */
  series(first: Key, second: Key, third: Key): DurationSeries {
    return this.#byKeys.get(first)?.get(second)?.get(third) ?? this.#begin(first, second, third);
  }

  /** Called by prom-client when the metrics are read. */
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

/** The durations with the same labels. */
class DurationSeries {
  readonly #labels: Labels;
  /** The count of each bucket, not cumulative; the last is for durations above all bounds. */
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
