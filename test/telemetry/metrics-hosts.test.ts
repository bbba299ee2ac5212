import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { knownHosts } from '../../src/http/known-hosts.ts';
import { serveMetrics } from '../../src/telemetry/metrics-server.ts';
import { sendRaw, statusOf } from '../http/raw.ts';

const TEXT = { contentType: 'text/plain', read: async () => 'a_metric 1\n' };

/** The answers to GET /metrics for each host. */
async function answersTo(settings: Readonly<Record<string, string>>, hosts: readonly string[]): Promise<string[]> {
  const config = readConfig({ ...settings, METRICS_PORT: '0' });
  const server = await serveMetrics(TEXT, { host: '127.0.0.1', port: 0, hosts: knownHosts(config) });
  const ask = (host: string) =>
    sendRaw(server.url, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  try {
    return await Promise.all(hosts.map(ask));
  } finally {
    await server.stop();
  }
}

const MONITORING = 'exchange.monitoring.svc:9464';
const PRODUCTION = { ENVIRONMENT: 'production', MONGODB_URI: 'mongodb://127.0.0.1/' };

it('the metrics of the demo are read under its own names only', async () => {
  const demo = { ENVIRONMENT: 'demo', BASE_URL: 'https://demo.example' };
  const [local, address, own, foreign = ''] = await answersTo(demo, [
    'localhost:9464',
    '127.0.0.1',
    'demo.example:9464',
    'evil.example:9464',
  ]);
  expect([local, address, own].map((answer) => statusOf(answer ?? ''))).toEqual([200, 200, 200]);
  expect(statusOf(foreign)).toBe(421);
  expect(foreign).toContain('evil.example:9464');
  expect(foreign).not.toContain('a_metric');
});

it.each([
  ['production', PRODUCTION],
  ['a public demo', { ENVIRONMENT: 'demo', DEMO_PUBLIC: '1' }],
])('the metrics of %s are read under any name', async (_name, settings) => {
  const [answer = ''] = await answersTo(settings, [MONITORING]);
  expect(statusOf(answer)).toBe(200);
  expect(answer).toContain('a_metric 1');
  expect(answer).toMatch(/x-content-type-options: nosniff/i);
});
