import { lookup } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptDelivery } from '../../../src/webhook-delivery/attempt.ts';
import { createConnector } from '../../../src/webhook-delivery/connector.ts';
import { createNameLookup } from '../../../src/webhook-delivery/name-lookup.ts';
import { pingMessage } from '../../../src/webhooks/messages.ts';
import { newSecret } from '../../../src/webhooks/signatures.ts';
import { Receiver } from '../receiver.ts';
import { NameServer } from './name-server.ts';

const HERE = { address: '127.0.0.1', family: 4 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'names-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A lookup that knows only what these files say about this machine. */
async function lookupBy(server: NameServer, { hosts = '', resolvConf = '' } = {}) {
  const files = { hosts: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') };
  await writeFile(files.hosts, hosts);
  await writeFile(files.resolvConf, resolvConf);
  return createNameLookup({ ...files, servers: [server.address] });
}
const soon = () => AbortSignal.timeout(30_000);

describe('the host of a webhook', () => {
  it('is looked up in the hosts file first, with all its addresses', async () => {
    await using server = await NameServer.start({});
    const hosts = '# 127.0.0.9 hooks\n127.0.0.2\thooks.lan Hooks # ours\r\n::1 hooks\n127.0.0.3 hooks2';
    const lookUp = await lookupBy(server, { hosts });
    const both = [
      { address: '127.0.0.2', family: 4 },
      { address: '::1', family: 6 },
    ];
    expect(await lookUp('hooks', soon())).toEqual(both);
    expect(await lookUp('hooks.', soon())).toEqual(both);
    expect(await lookUp('hooks.lan', soon())).toEqual([both[0]]);
    expect(server.asked).toEqual([]);
  });

  it('may be localhost, whether or not the hosts file names it', async () => {
    await using server = await NameServer.start({});
    const lookUp = await lookupBy(server);
    expect(await lookUp('localhost', soon())).toEqual([HERE, { address: '::1', family: 6 }]);
    expect(await (await lookupBy(server, { hosts: '127.0.0.1 localhost' }))('localhost', soon())).toEqual([HERE]);
  });

  it('is resolved by the name servers', async () => {
    await using server = await NameServer.start({ 'hooks.example': 'here' });
    const lookUp = await lookupBy(server);
    expect(await lookUp('hooks.example', soon())).toEqual([HERE]);
    await expect(lookUp('other.example', soon())).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('is looked up unchanged when the search domains end with the root, or make it too long', async () => {
    const label = 'h'.repeat(60);
    const long = `${label}.${label}.${label}.${label.slice(0, 50)}`;
    await using server = await NameServer.start({ 'hooks.example': 'here', [long]: 'here' });
    const cluster = await lookupBy(server, { resolvConf: 'search shop.svc.cluster.local .\noptions ndots:5' });
    expect(await cluster('hooks.example', soon())).toEqual([HERE]);
    expect(await cluster(long, soon())).toEqual([HERE]);
    const plain = await lookupBy(server, { resolvConf: 'search .' });
    expect(await plain('hooks.example', soon())).toEqual([HERE]);
    await expect(plain('gone', soon())).rejects.toMatchObject({ code: 'ENOTFOUND', hostname: 'gone' });
    await expect(cluster('gone.example', soon())).rejects.toMatchObject({
      code: 'ENOTFOUND',
      hostname: 'gone.example',
    });
  });

  it.each([
    ['hooks', '', ['hooks.a.internal', 'hooks.b.internal']],
    ['hooks.b', '', ['hooks.b', 'hooks.b.a.internal', 'hooks.b.internal']],
    ['hooks.b', 'options timeout:1 ndots:5', ['hooks.b.a.internal', 'hooks.b.internal']],
    ['hooks.b.internal.', 'options ndots:5', ['hooks.b.internal']],
  ])('is found in the search domains: %s, with “%s”', async (name, options, asked) => {
    await using server = await NameServer.start({ 'hooks.b.internal': 'here' });
    const search = name === 'hooks.b' ? 'a.internal internal' : 'a.internal b.internal';
    const lookUp = await lookupBy(server, { resolvConf: `domain old\nsearch ${search}\n${options}\n` });
    expect(await lookUp(name, soon())).toEqual([HERE]);
    expect([...new Set(server.asked)]).toEqual(asked);
  });
});

const attemptAt = (connector: ReturnType<typeof createConnector>, url: string, cut: AbortSignal) =>
  attemptDelivery(
    pingMessage('ping_1', 'w', new Date()),
    { url, secrets: [newSecret('v1')], webhook: 'w', tenant: 't' },
    { connector, timeoutMs: 60_000, now: () => new Date(), cut, tries: 0 },
  );

describe('a name in the network around the service', () => {
  const attempts = async (allowed: 'none' | 'loopback' | 'all', ...names: readonly string[]) => {
    await using server = await NameServer.start({ 'redis.corp.internal': 'here' });
    const files = { hosts: '10.20.30.40 vault\n0.0.0.0 nowhere', resolvConf: 'search corp.internal' };
    const connector = createConnector(allowed, await lookupBy(server, files));
    const results = await Promise.all(names.map((name) => attemptAt(connector, `http://${name}:1/`, soon())));
    connector.close();
    return results.map(({ error, failure }) => [error, failure]);
  };
  const NO_ADDRESS = 'the host leads to no address that may be called';
  const refused = [NO_ADDRESS, 'AddressRefused'];

  it('looks like an unknown one, except to operators', async () => {
    const unknown = [NO_ADDRESS, 'ENOTFOUND'];
    expect(await attempts('none', 'vault', 'redis', 'unknown')).toEqual([refused, refused, unknown]);
    expect(await attempts('loopback', 'vault', 'unknown')).toEqual([refused, unknown]);
  });

  it('is told from an unknown one when private addresses are allowed', async () => {
    const unknown = ['the connection failed (ENOTFOUND)', 'ENOTFOUND'];
    expect(await attempts('all', 'nowhere', 'unknown')).toEqual([refused, unknown]);
  });
});

describe('a name that no server answers for', () => {
  it('delays no other receiver, and no system lookup', async () => {
    await using server = await NameServer.start({ 'hangs.example': 'hangs', 'works.example': 'here' });
    await using receiver = await Receiver.start();
    const connector = createConnector('loopback', await lookupBy(server));
    const cut = new AbortController();
    let ended = 0;
    const hanging = Array.from({ length: 20 }, async (_, at) => {
      await attemptAt(connector, `http://h${at}.hangs.example/`, cut.signal);
      ended += 1;
    });
    await expect.poll(() => new Set(server.asked).size, { timeout: 20_000 }).toBe(20);
    expect((await lookup('localhost')).address).toEqual(expect.any(String));
    const works = `http://works.example:${receiver.port}/`;
    expect(await attemptAt(connector, works, soon())).toMatchObject({ status: 204 });
    expect(ended).toBe(0);
    cut.abort();
    await Promise.all(hanging);
    connector.close();
  });

  it('is no longer looked up when the attempt has ended', async () => {
    await using server = await NameServer.start({ 'hangs.example': 'hangs' });
    const lookUp = await lookupBy(server, { resolvConf: 'search one.example two.example' });
    const attempt = new AbortController();
    const found = lookUp('hangs.example', attempt.signal);
    await expect.poll(() => server.asked.length, { timeout: 20_000 }).toBe(2);
    attempt.abort(new Error('it has ended'));
    await expect(found).rejects.toMatchObject({ code: 'ECANCELLED' });
    expect(new Set(server.asked)).toEqual(new Set(['hangs.example']));
  });
});
