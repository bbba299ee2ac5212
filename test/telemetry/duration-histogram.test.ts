import fc from 'fast-check';
import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { DurationHistogram, SECONDS } from '../../src/telemetry/duration-histogram.ts';
import '../property-seed.ts';

const name = 'some_duration_seconds';
const help = 'How long some thing took.';
const labelNames = ['method', 'route', 'status'];

interface Observed {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

const observed = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('', '/jobs/{id}', 'with "quotes"\nand \\'),
  status: fc.constantFrom(200, 404),
  seconds: fc.oneof(fc.constantFrom(0, ...SECONDS), fc.double({ min: 0, max: 20, noNaN: true })),
});

function ours(all: readonly Observed[]): Registry {
  const registry = new Registry();
  const histogram = new DurationHistogram({ name, help, labelNames, labelsOf: (...keys) => keys }, registry);
  for (const { method, route, status, seconds } of all) histogram.series(method, route, status).observe(seconds);
  return registry;
}

function theirs(all: readonly Observed[]): Registry {
  const registry = new Registry();
  const histogram = new Histogram({ name, help, labelNames, buckets: [...SECONDS], registers: [registry] });
  for (const { seconds, ...labels } of all) histogram.observe(labels, seconds);
  return registry;
}

/** The first process's view of what its workers have sent it. */
async function added(...workers: readonly Registry[]): Promise<string> {
  const sent = await Promise.all(workers.map((one) => one.getMetricsAsJSON()));
  return AggregatorRegistry.aggregate(JSON.parse(JSON.stringify(sent))).metrics();
}

describe('a histogram of durations', () => {
  it('is written as by prom-client, for one process and summed over several', async () => {
    const property = fc.asyncProperty(fc.array(observed), fc.array(observed), async (some, more) => {
      expect(await ours(some).metrics()).toBe(await theirs(some).metrics());
      expect(await added(ours(some), ours(more))).toBe(await added(theirs(some), theirs(more)));
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('starts over when the registry is reset', async () => {
    const registry = ours([{ method: 'GET', route: '', status: 200, seconds: 1 }]);
    registry.resetMetrics();
    expect(await registry.metrics()).toBe(await theirs([]).metrics());
  });
});
