import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { ProxyAwareRequest } from '../../src/auth/proxy-aware-request.ts';

const client = new ProxyAwareRequest({ trustProxy: 0, baseUrl: '', hasBaseUrl: false, corsOrigins: [] });
const networksOf = (remoteAddress?: string) =>
  client.networksOf({ headers: {}, socket: { remoteAddress } } as IncomingMessage);

it('of a client are its IPv4 address, or the /48 and the /64 of its IPv6 address', () => {
  expect(networksOf('192.0.2.7')).toEqual(['192.0.2.7']);
  expect(networksOf('::ffff:192.0.2.7')).toEqual(['192.0.2.7']);
  const [site, network, ...more] = networksOf('2001:db8:1:2:3:4:5:6');
  expect(more).toEqual([]);
  expect(networksOf('2001:db8:1:2::9%eth0')).toEqual([site, network]);
  const [sameSite, other] = networksOf('2001:db8:1:3::9');
  expect([sameSite === site, other === network]).toEqual([true, false]);
  expect(networksOf('2001:db8:2:2::9')[0]).not.toBe(site);
  expect(networksOf(undefined)).toHaveLength(1);
});
