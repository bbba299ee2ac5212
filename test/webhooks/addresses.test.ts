import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createConnector } from '../../src/webhook-delivery/connector.ts';
import type { NameLookup } from '../../src/webhook-delivery/name-lookup.ts';
import { refusalOfAddress, refusalOfUrl } from '../../src/webhooks/address-rules.ts';
import { Receiver } from './receiver.ts';

const PRODUCTION = { allowed: 'none', httpsOnly: true } as const;

describe('the address rule', () => {
  it.each([
    ...['127.0.0.1', '127.9.9.9', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['0.1.2.3', '224.0.0.1', '239.255.255.255', '255.255.255.255', '240.0.0.1', '192.0.0.8', '198.18.0.1'],
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
    ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', 'fe80::1', 'fe80::1%eth0'],
    ...['fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1'],
    ...['2001:db8::1', '3fff::1', '100::1', '4000::1', '::ffff:0:127.0.0.1', 'not an address', ''],
  ])('refuses %s', (address) => {
    expect(refusalOfAddress(address, 'none')).toEqual(expect.any(String));
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8'])(
    'accepts %s',
    (address) => {
      expect(refusalOfAddress(address, 'none')).toBeUndefined();
    },
  );

  it('allows only the loopback interface in the demo, and private networks if the operator says so', () => {
    const refused = (address: string) =>
      (['none', 'loopback', 'all'] as const).map((allowed) => refusalOfAddress(address, allowed) !== undefined);
    expect(refused('127.0.0.1')).toEqual([true, false, false]);
    expect(refused('::ffff:127.0.0.1')).toEqual([true, false, false]);
    expect(refused('192.168.1.1')).toEqual([true, true, false]);
    expect(refused('fd00::1')).toEqual([true, true, false]);
    for (const address of ['224.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::']) {
      expect(refused(address)).toEqual([true, true, true]);
    }
  });
});

describe('the URL rule', () => {
  it.each([
    ...['https://2130706433/', 'https://0x7f000001', 'https://0177.0.0.1', 'https://127.1', 'https://0x7f.1'],
    ...[
      'https://[::1]',
      'https://[::ffff:127.0.0.1]',
      'https://[::ffff:7f00:1]',
      'https://127.0.0.1.',
      'https://①②⑦.0.0.1',
    ],
    ...['https://10.0.0.1:8443/hook', 'http://a.example', 'ftp://a.example', 'a.example', 'https://u:p@a.example', ''],
  ])('refuses %s', (url) => {
    expect(refusalOfUrl(url, PRODUCTION)).toEqual(expect.any(String));
  });

  it.each([
    ...[
      'https://a.example/\r\nX: y',
      'https://a.example\t/',
      ' https://a.example/',
      'https://a.example/ ',
      'https://a b.example/',
    ],
    ...[
      'https://a.example/a b',
      'https://a.example/\u0000',
      'https://a.example/\u00a0',
      'https://a.example\\b',
      'https:\\\\a.example',
    ],
    ...[
      'https:a.example',
      'https:/a.example',
      'https:///a.example',
      'http:a.example',
      'https://a.example:0/',
      'https://a.example:00',
    ],
  ])('refuses %j, which parses as another URL or leads nowhere, in the demo too', (url) => {
    expect(refusalOfUrl(url, PRODUCTION)).toEqual(expect.any(String));
    expect(refusalOfUrl(url, { allowed: 'all', httpsOnly: false })).toEqual(expect.any(String));
  });

  const label = 'x'.repeat(63);
  const longest = `${`${label}.`.repeat(3)}${'x'.repeat(61)}`;

  it.each([
    ...[
      'https://.',
      'https://./hook',
      'https://..',
      'https://x..example/',
      'https://.example/',
      'https://a.example../',
    ],
    ...[
      `https://${label}x.example/`,
      `https://${'ü'.repeat(60)}.example/`,
      `https://${longest}x/`,
      `https://${longest}x./`,
    ],
  ])('refuses %s, which DNS cannot hold', (url) => {
    expect(refusalOfUrl(url, PRODUCTION)).toContain('DNS');
    expect(refusalOfUrl(url, { allowed: 'all', httpsOnly: false })).toContain('DNS');
  });

  it.each([
    ...[
      `https://${label}.example/`,
      `https://${longest}/`,
      `https://${longest}./`,
      'https://a.example./',
      'https://a/',
    ],
    ...['https://a.example/hook?x=1', 'https://8.8.8.8/', 'https://[2606:4700::1]:8443/', 'HTTPS://A.example:443'],
    ...['https://a.example/%0d%0a?q=%20#part', 'https://bücher.example/straße', 'https://a.example//b'],
  ])('accepts %s', (url) => {
    expect(refusalOfUrl(url, PRODUCTION)).toBeUndefined();
  });
});

describe('the connector', () => {
  /** A lookup that returns these addresses, and counts its calls. */
  function names(...addresses: string[]) {
    const asked: string[] = [];
    const lookUp: NameLookup = (name) => {
      asked.push(name);
      const found: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      return Promise.resolve(found);
    };
    return { asked, lookUp };
  }
  const options = () => ({ headers: {}, signal: AbortSignal.timeout(30_000) });

  it.each([['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:127.0.0.1'], ['64:ff9b::7f00:1']])(
    'never connects to a name that resolves to %s',
    async (...addresses) => {
      await using receiver = await Receiver.start();
      const { asked, lookUp } = names(...addresses);
      const request = createConnector('none', lookUp).post(new URL(`http://hook.example:${receiver.port}/`), options());
      const [error] = await once(request.end('{}'), 'error').catch((failure) => [failure]);
      expect(error).toMatchObject({ name: 'AddressRefused' });
      expect(asked).toEqual(['hook.example']);
      expect(receiver.received).toEqual([]);
    },
  );

  it('connects to the checked address, whatever the name resolves to later', async () => {
    await using receiver = await Receiver.start();
    const { asked, lookUp } = names('127.0.0.1');
    const connector = createConnector('loopback', lookUp);
    const request = connector.post(new URL(`http://hook.example:${receiver.port}/`), options());
    const [response] = await once(request.end('{}'), 'response');
    expect([response.statusCode, asked.length, receiver.received[0]?.headers.host]).toEqual([
      204,
      1,
      `hook.example:${receiver.port}`,
    ]);
    connector.close();
  });

  it('refuses a literal address before sending anything', () => {
    expect(() => createConnector('none').post(new URL('http://127.0.0.1:9/'), options())).toThrow(
      'is a loopback address',
    );
    expect(() => createConnector('none').post(new URL('http://[::ffff:7f00:1]:9/'), options())).toThrow('loopback');
  });
});
