import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';

const folder = join(import.meta.dirname, '..', '..', 'deploy', 'observability');
const metrics = new Metrics(endpoints, '0.0.0');
metrics.add({ connections: { open: 0, used: 0, most: 32 } });
afterAll(() => metrics.close());

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number };
  readonly targets: readonly { readonly expr: string }[];
}

const NOT_METRICS = new Set(['by', 'le', 'sum', 'max', 'rate', 'absent', 'histogram_quantile']);

/** The metrics and labels in an expression. */
function namesIn(expr: string): string[] {
  const plain = expr.replaceAll(/\[[^\]]*\]|"[^"]*"/g, '');
  return [...plain.matchAll(/[a-z_]\w*/gi)].map(([name]) => name).filter((name) => !NOT_METRICS.has(name));
}

/** What a service exports: its metrics with histogram suffixes, and their labels. */
async function given(): Promise<Set<string>> {
  const all = (await metrics.registry.getMetricsAsArray()) as unknown as { name: string; labelNames: string[] }[];
  return new Set(
    all.flatMap(({ name, labelNames }) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`, ...labelNames]),
  );
}

/** The metric and the labels Prometheus adds when scraping. */
const SCRAPED = ['up', 'instance', 'job'];

describe('the files for Prometheus and Grafana', () => {
  it('have complete alert rules naming only metrics of the service', async () => {
    const { groups } = parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    const known = new Set([...(await given()), ...SCRAPED]);
    for (const rule of rules) {
      expect([rule.alert, namesIn(rule.expr).filter((name) => !known.has(name))]).toEqual([rule.alert, []]);
      expect(rule.for).toMatch(/^\d+m$/);
      expect(['critical', 'warning']).toContain(rule.labels.severity);
      expect(rule.annotations.summary && rule.annotations.description, rule.alert).toBeTruthy();
    }
  });

  it('have a rule that finds one down gateway out of several, by the job under which Prometheus scrapes them', () => {
    const { groups } = parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    const { scrape_configs } = parse(readFileSync(join(folder, 'prometheus.yaml'), 'utf8')) as {
      scrape_configs: { job_name: string }[];
    };
    const downs = scrape_configs.map(({ job_name }) => `up{job="${job_name}"} == 0`);
    expect(rules.map(({ expr }) => expr)).toEqual(expect.arrayContaining(downs));
  });

  it('have a dashboard whose panels do not overlap and name only metrics of the service', async () => {
    const text = readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8');
    const { panels } = JSON.parse(text) as { panels: Panel[] };
    const known = new Set([...(await given()), ...SCRAPED]);
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
    for (const { title, targets } of panels) {
      for (const { expr } of targets)
        expect([title, namesIn(expr).filter((name) => !known.has(name))]).toEqual([title, []]);
    }
  });
});
