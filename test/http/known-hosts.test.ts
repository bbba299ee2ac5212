import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';
import { sendRaw, statusOf } from './raw.ts';

const demo = serviceFixture({ env: { BASE_URL: 'https://demo.example:8443/exchange' } });
const open = serviceFixture({ env: { HOST: '0.0.0.0', DEMO_PUBLIC: '1' } });
const production = serviceFixture({ env: { ENVIRONMENT: 'production' } });

const KEY = 'Authorization: Bearer demo-client-key\r\nConnection: close\r\n';
const get = (url: string, lines: string, target = '/v2/schemas', version = '1.1') =>
  sendRaw(url, `GET ${target} HTTP/${version}\r\n${lines}${KEY}\r\n`);

describe('the demo', () => {
  it.each([
    'localhost',
    'LocalHost:4000',
    'localhost.',
    'localhost.:80',
    '127.0.0.1',
    '127.0.0.1:',
    '127.255.3.4:99',
    '[::1]',
    '[::1]:4000',
    '[0:0:0:0:0:0:0:1]:4000',
    '[::ffff:127.0.0.1]',
    'demo.example',
    'DEMO.example:1',
    'demo.example.',
  ])('serves a request for %s', async (host) => {
    expect(statusOf(await get(demo.url, `Host: ${host}\r\n`))).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example',
    'evil-localhost',
    'demo.example.evil.example',
    'localhost@evil.example',
    'evil.example#localhost',
    'localhost:80:80',
    '127.0.0.1.evil.example',
    '128.0.0.1',
    '0.0.0.0',
    '2130706433',
    '[::2]',
    '[::ffff:10.0.0.1]',
    '::1',
    '',
  ])('refuses %j with 421, whatever its key', async (host) => {
    const answer = await get(demo.url, `Host: ${host}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
    expect(answer).toContain('"code":"MISDIRECTED_REQUEST"');
  });

  it('checks every path and method, and GraphQL', async () => {
    const evil = 'Host: evil.example\r\n';
    for (const target of [
      '/',
      '/graphql?query={__typename}',
      '/docs',
      '/openapi.json',
      '/bridge/v1/health',
      '/nothing',
    ]) {
      expect([target, statusOf(await get(demo.url, evil, target))]).toEqual([target, 421]);
    }
    const post = `POST /graphql HTTP/1.1\r\n${evil}${KEY}Content-Type: application/json\r\nContent-Length: 22\r\n\r\n{"query":"{jobs{nodes`;
    expect(statusOf(await sendRaw(demo.url, post))).toBe(421);
  });

  it('checks the host of an absolute-form target, and every Host header', async () => {
    const ours = 'Host: localhost\r\n';
    expect(statusOf(await get(demo.url, ours, 'http://evil.example/v2/schemas'))).toBe(421);
    expect(statusOf(await get(demo.url, 'Host: evil.example\r\n', 'http://localhost/v2/schemas'))).toBe(421);
    expect(statusOf(await get(demo.url, ours, 'http://user@localhost/v2/schemas'))).toBe(421);
    expect(statusOf(await get(demo.url, `${ours}Host: evil.example\r\n`))).toBeGreaterThanOrEqual(400);
    expect(statusOf(await get(demo.url, '', '/v2/schemas', '1.0'))).toBe(200); // no browser asks so
    const served = await get(demo.url, ours, 'HTTP://LOCALHOST:80/v2/schemas?x=1');
    expect([statusOf(served), served]).toEqual([400, expect.stringContaining('"instance":"/v2/schemas"')]);
    expect(statusOf(await get(demo.url, ours, 'http://localhost/graphql?query=%7B__typename%7D'))).toBe(200);
  });
});

describe('every host is served', () => {
  it('by a public demo, and in production', async () => {
    expect(statusOf(await get(open.url, 'Host: demo.partner.example\r\n'))).toBe(200);
    expect(statusOf(await get(production.url, 'Host: 10.0.0.7\r\n', '/bridge/v1/health'))).toBe(200);
  });
});
