// May take 20 s: on shutdown, the service gives a running request ten seconds.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { VERSION } from '../../src/version.ts';
import { bareMongod } from '../bare-mongod.ts';
import { dropDatabase } from '../drop-database.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const database = `test_main_${process.pid}`;
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, ...inherited } = process.env;

function gateway(settings: Readonly<Record<string, string>>): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const env = { ...inherited, MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: database, PORT: '0', ...settings };
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] }) as ReturnType<typeof gateway>;
}

async function outcome(settings: Readonly<Record<string, string>>) {
  const child = gateway(settings);
  const [stderr, [code]] = await Promise.all([text(child.stderr as NodeJS.ReadableStream), once(child, 'exit')]);
  return { code, stderr };
}

async function ready(child: ReturnType<typeof gateway>): Promise<string> {
  for await (const line of createInterface(child.stdout)) {
    const [, version, url] = /^Ready: the inspection exchange (\S+) \(demo\) serves (http:\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    expect(version).toBe(VERSION);
    return url;
  }
  throw new Error('the gateway ended before it was ready');
}

/** Reads over one keep-alive connection, one request after the other. */
async function untilRefused(url: string): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = { agent, headers: { authorization: 'Bearer demo-client-key' } };
  try {
    for (;;) {
      const [response] = (await once(get(`${url}/workspaces`, options), 'response')) as [IncomingMessage];
      await text(response);
    }
  } catch {
    return 'refused';
  }
}

afterAll(async () => {
  const client = await MongoClient.connect(inject('mongoUri'));
  await dropDatabase(client.db(database));
  await client.close();
});

describe.concurrent('a start that cannot work', () => {
  it('lists every wrong variable at once', async () => {
    expect(await outcome({ PORT: 'abc', MAX_BODY_BYTES: '-1' })).toEqual({
      code: 1,
      stderr:
        'PORT="abc" cannot be used: it must be a whole number from 0 to 65535.\n' +
        'MAX_BODY_BYTES="-1" cannot be used: it must be a whole number from 1024 to 1073741824.\n',
    });
  });

  it('says that the port is in use, and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const PORT = String((other.address() as AddressInfo).port);
    expect(await outcome({ PORT })).toEqual({
      code: 1,
      stderr: `The service cannot listen on HOST=127.0.0.1 PORT=${PORT}: another program has this port. Stop that one, or set PORT to another number.\n`,
    });
    other.close();
  });

  it('says that a standalone server is not enough', async () => {
    const dbPath = mkdtempSync(join(tmpdir(), 'exchange-single-'));
    const port = await freePort();
    const stop = await bareMongod(dbPath, port);
    const { code, stderr } = await outcome({ MONGODB_URI: `mongodb://127.0.0.1:${port}` });
    expect([code, stderr]).toEqual([
      1,
      `MongoDB at 127.0.0.1:${port} is a single server without transactions: a replica set (one member is enough) or a sharded cluster is needed.\n`,
    ]);
    await stop();
    rmSync(dbPath, { recursive: true });
  });

  it('says that MongoDB is unreachable, without the password in its address', async () => {
    const { code, stderr } = await outcome({ MONGODB_URI: 'mongodb://user:pass-word@127.0.0.1:1/?replicaSet=none' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^MongoDB at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/),
    ]);
    expect(stderr).not.toContain('pass-word');
  });

  it.each([
    [
      'mongodb://user:p@ss@127.0.0.1:1/',
      /^MONGODB_URI=\(its value is not shown\) cannot be used: .* as %40 for @\.\n$/,
    ],
    ['mongodb://127.0.0.1:1/?wrong=1', /^MONGODB_URI cannot be used: option wrong is not supported\.\n$/],
    ['mongodb+srv://no-such-host.invalid/', /^MongoDB at no-such-host\.invalid cannot be used: /],
  ])('says what is wrong with MONGODB_URI=%s', async (MONGODB_URI, said) => {
    expect(await outcome({ MONGODB_URI })).toEqual({ code: 1, stderr: expect.stringMatching(said) });
  });

  it('says that the user of MONGODB_URI is missing, wrong, or may not use the database', async () => {
    const own = new URL(inject('mongoUri'));
    own.username = '';
    own.password = '';
    const without = await outcome({ MONGODB_URI: own.href });
    expect(without.stderr).toMatch(
      /^MongoDB at .* refuses the service: .*authentication.*\. MONGODB_URI must name a user with the roles readWrite and dbAdmin on the database \w+\.\n$/,
    );
    own.username = 'nobody';
    own.password = 'a-wrong-password';
    const wrong = await outcome({ MONGODB_URI: own.href });
    expect(wrong.stderr).toMatch(
      /cannot be used: Authentication failed\. Check the user, the password and authSource in MONGODB_URI\.\n$/,
    );
  });

  it('says that the replica set has a different name', async () => {
    const own = new URL(inject('mongoUri'));
    own.searchParams.set('replicaSet', 'wrong');
    expect(await outcome({ MONGODB_URI: own.href })).toEqual({
      code: 1,
      stderr: `MongoDB at ${own.host} cannot be used: none of these servers is a member of a replica set named "wrong". Check replicaSet in MONGODB_URI.\n`,
    });
  });

  it('says that DATA_DIR cannot be used', async () => {
    const { code, stderr } = await outcome({ MONGODB_URI: '', DATA_DIR: '/dev/null/data' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATA_DIR=\/dev\/null\/data cannot be used: ENOTDIR/)]);
  });
});

describe.concurrent('a shutdown by SIGTERM', () => {
  it('takes no new request, completes the running one, cuts off a hanging one after 10 s, ignores a second signal, exits 0', async () => {
    const child = gateway({ ENVIRONMENT: 'demo' });
    const url = await ready(child);
    const begun = async (): Promise<ReturnType<typeof request>> => {
      const type = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const headers = { ...type, authorization: 'Bearer demo-client-key', expect: '100-continue' };
      const sent = request(`${url}/v2/organizations`, { method: 'POST', headers });
      sent.flushHeaders();
      await once(sent, 'continue'); // the service waits for its body
      sent.write('{"name":');
      return sent;
    };
    const [running, hanging] = await Promise.all([begun(), begun()]);
    const cut = once(hanging, 'error');
    const asked = performance.now();
    const busy = Array.from({ length: 8 }, () => untilRefused(url));
    await sleep(100);
    child.kill('SIGTERM');
    // Even connections that are never idle are not served any longer.
    expect(await Promise.race([Promise.all(busy), sleep(8_000, 'still served')])).toEqual(busy.map(() => 'refused'));
    for (const again of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) child.kill(again); // they change nothing
    running.end('"Written during the stop"}');
    const [answer] = await once(running, 'response');
    expect(answer.statusCode).toBe(201);
    answer.resume();
    await cut;
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(performance.now() - asked).toBeGreaterThan(9_000);
    expect(performance.now() - asked).toBeLessThan(20_000);
  });

  it('is the same for SIGHUP, as sent by a closing terminal', async () => {
    const child = gateway({ ENVIRONMENT: 'demo' });
    const url = await ready(child);
    const headers = {
      'content-type': 'application/json',
      authorization: 'Bearer demo-client-key',
      expect: '100-continue',
    };
    const running = request(`${url}/v2/organizations`, { method: 'POST', headers });
    running.flushHeaders();
    await once(running, 'continue'); // the service waits for its body
    const answer = once(running, 'response');
    child.kill('SIGHUP');
    expect(await untilRefused(url)).toBe('refused');
    running.end('{"name":"Written after the terminal was closed"}');
    expect((await answer)[0].statusCode).toBe(201);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
