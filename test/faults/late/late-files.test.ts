import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLERS } from '../../service.ts';
import { type FaultFixture, startFaultFixture } from '../fault-fixture.ts';

let fixture: FaultFixture;
beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(() => fixture.stop());

const documents = () => `/v2/workspaces/${fixture.workspace.id}/documents`;

async function makeJob(): Promise<string> {
  const path = `/workspaces/${fixture.workspace.id}/jobs`;
  return (await fixture.service.ask('POST', path, { as: 'client', body: {} })).body.id;
}

async function attach(job: string, size: number): Promise<number> {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(size)]), 'report.bin');
  const headers = { Authorization: `Bearer ${CALLERS.client}` };
  const path = `${fixture.service.url}${documents()}/${job}/attachments`;
  return (await fetch(path, { method: 'POST', headers, body })).status;
}

const remove = async (job: string): Promise<number> =>
  (await fixture.service.ask('DELETE', `${documents()}/${job}`, { as: 'client' })).status;

/** What is stored of files. */
const stored = (): Promise<number[]> =>
  Promise.all(['attachments', 'fs.files', 'fs.chunks', 'loose_files'].map((name) => fixture.count(name, {})));

/** Delays the next commit long enough for other requests; MongoDB would end one that takes 3.5 s. */
const holdUpCommit = () =>
  fixture.mongod.fail({
    commands: ['commitTransaction'],
    times: 1,
    data: { blockConnection: true, blockTimeMS: 2_500 },
  });

describe.each([
  ['small', 100_000],
  ['large', 1_500_000],
])('a %s file', (_, size) => {
  it('is 404 and leaves nothing if its document is deleted before it is attached', async () => {
    const job = await makeJob();
    const { met } = await holdUpCommit();
    const attaching = attach(job, size);
    await met();
    expect(await remove(job)).toBe(200);
    expect(await attaching).toBe(404);
    await expect.poll(stored).toEqual([0, 0, 0, 0]);
  });

  it.each([1, 3])('goes with its document if attached while that is being deleted (%d at once)', async (count) => {
    const jobs = await Promise.all(Array.from({ length: count }, makeJob));
    const { met } = await holdUpCommit();
    const removing = Promise.all(jobs.map(remove));
    await met();
    expect(new Set(await Promise.all(jobs.map((job) => attach(job, size))))).toEqual(new Set([201]));
    expect(new Set(await removing)).toEqual(new Set([200]));
    expect((await stored())[0]).toBe(0);
    await expect.poll(stored).toEqual([0, 0, 0, 0]);
  });
});
