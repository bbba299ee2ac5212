import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filePart, formOf, sendForm } from '../../rest-compat/form.ts';
import { CALLERS } from '../../service.ts';
import { type FaultFixture, startFaultFixture } from '../fault-fixture.ts';

/** How long each query for a part of a file takes: longer than anything else on a busy machine. */
const SLOW_MS = 3_000;
/** More than there are connections. */
const DOWNLOADS = 50;

let fixture: FaultFixture;
beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(() => fixture.stop());

it("downloads of one tenant leave connections for all other reads and writes, and for others' downloads", async () => {
  const { service, workspace, mongod } = fixture;
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const job = (await service.ask('POST', jobs, { as: 'client', body: {} })).body.id;
  const path = `/v2/workspaces/${workspace.id}/documents/${job}/attachments`;
  const content = `${path}/${(await sendForm(service, path, formOf(filePart(randomBytes(3_000_000))))).body.id}/content`;
  const download = async (as: 'client' | 'vendor', signal?: AbortSignal) => {
    const headers = { Authorization: `Bearer ${CALLERS[as]}` };
    const answer = await fetch(service.url + content, { headers, ...(signal && { signal }) });
    await answer.body?.cancel();
    return answer;
  };
  const namespace = `${service.stores.db.databaseName}.fs.chunks`;
  const { met } = await mongod.fail({
    commands: ['find'],
    namespace,
    data: { blockConnection: true, blockTimeMS: SLOW_MS },
  });
  const leaving = new AbortController();
  const begun = Array.from({ length: DOWNLOADS }, () => download('client', leaving.signal).catch(() => undefined));
  await met();
  await sleep(300);
  expect(service.stores.connections.used).toBeLessThanOrEqual(4);
  const began = performance.now();
  const others = await Promise.all([
    service.ask('GET', `${jobs}/${job}`, { as: 'vendor' }),
    service.ask('POST', jobs, { as: 'vendor', body: {} }),
    service.ask('GET', `${jobs}/${job}`, { as: 'client' }),
  ]);
  expect(others.map(({ status }) => status)).toEqual([200, 201, 200]);
  expect(performance.now() - began).toBeLessThan(SLOW_MS);
  expect((await download('vendor')).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(2 * SLOW_MS);
  leaving.abort();
  await Promise.all(begun);
  await mongod.heal();
});
