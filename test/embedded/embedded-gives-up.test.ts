// Takes 20 s and more: the service backs off between eight tries to start.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { findMongod } from '../../src/embedded-mongod/binary.ts';
import { holderOf } from '../../src/embedded-mongod/lock.ts';
import { projectCacheDir as cacheDir } from '../../src/embedded-mongod/server.ts';
import { embeddingGatewayFixture, says } from './embedding-gateway.ts';

const headers = { authorization: 'Bearer demo-client-key' };

type Fixture = ReturnType<typeof embeddingGatewayFixture>;

/** A mongod that works until a file `broken` appears in the folder: then it does what that file says. */
async function brittleMongod({ path }: Fixture): Promise<string> {
  const { path: binary } = await findMongod({ cacheDir, env: process.env, log: () => {} });
  const script = `[ "$1" != --version ] && [ -e '${path('broken')}' ] && . '${path('broken')}'\nexec '${binary}' "$@"`;
  writeFileSync(path('mongod'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path('mongod');
}
const breakMongod = ({ path }: Fixture, script: string): void => writeFileSync(path('broken'), script);

describe.concurrent('a gateway whose embedded mongod does not restart', () => {
  const fixture = embeddingGatewayFixture();
  const { start, mongodPid, path } = fixture;

  it("gives up after eight tries, with code 1 and mongod's last words, and releases the data folder", async () => {
    const gateway = await start({ MONGOD_BINARY: await brittleMongod(fixture) });
    const words = '{"s":"E","msg":"WiredTiger error message","attr":{"error":"No space left on device"}}';
    breakMongod(fixture, `echo '${words}' >> '${path('data', 'mongod.log')}'; exit 100`);
    process.kill(mongodPid(), 'SIGKILL');
    await says(gateway, 'the embedded mongod was ended by SIGKILL; it is started again');
    const answer = await fetch(`${gateway.url}/workspaces`, { headers });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await once(gateway.child, 'exit')).toEqual([1, null]);
    const log = gateway.lines.join('\n');
    expect(log.match(/could not be started again: /g)).toHaveLength(7);
    expect(log).toMatch(
      /"level":60.*could not be started again 8 times in a row: .* ended with code 100: WiredTiger error message: No space left on device \(its log: .*mongod\.log\); the service stops/,
    );
    expect(holderOf(path('data'))).toBeUndefined();
  }, 180_000);
});

describe.concurrent('a gateway retrying to start its embedded mongod', () => {
  const fixture = embeddingGatewayFixture();
  const { start, mongodPid, path } = fixture;

  it('shuts down gracefully when asked meanwhile', async () => {
    const gateway = await start({ MONGOD_BINARY: await brittleMongod(fixture) });
    breakMongod(fixture, 'exec sleep 100');
    process.kill(mongodPid(), 'SIGKILL');
    await says(gateway, 'it is started again');
    await sleep(300);
    const asked = performance.now();
    gateway.child.kill('SIGTERM');
    const end = await once(gateway.child, 'exit');
    expect(end, gateway.lines.join('\n')).toEqual([0, null]);
    expect(performance.now() - asked).toBeLessThan(20_000); // of the 35 s a shutdown may take
    expect(holderOf(path('data'))).toBeUndefined();
  }, 180_000);
});
