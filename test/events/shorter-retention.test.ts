import { expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, startTestService, type TestService } from '../service.ts';

const service = serviceFixture();
/** More than are shortened at a time. */
const EARLIER = 1_200;

const stored = () => service.stores.db.collection<{ sequence: number; expires_at: Date }>('events');
const expiries = async () =>
  (await stored().find().sort({ sequence: 1 }).toArray()).map(({ expires_at }) => expires_at);

/** Creates a job, and waits for its event. */
async function recorded(gateway: TestService, workspace: string): Promise<number> {
  const before = await gateway.stores.events.latest();
  const { status } = await gateway.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} });
  expect(status).toBe(201);
  await expect.poll(() => gateway.stores.events.latest(), { timeout: 20_000 }).toBe(before + 1);
  return before + 1;
}

it('events do not outlive later ones after EVENTS_TTL_SECONDS was lowered: clients away for too long get HISTORY_LOST', async () => {
  const database = service.stores.db.databaseName;
  const { id: workspace } = await makeWorkspace(service);
  const start = await (async () => {
    await using before = await startTestService({ database, records: true });
    const first = await recorded(before, workspace);
    const at = new Date();
    const event = {
      kind: 'created',
      type: 'x',
      workspace: null,
      readers: ['nobody'],
      version: '1',
      by: null,
      at,
    } as const;
    const events = Array.from({ length: EARLIER }, (_, n) => ({ ...event, _id: `${n} 1`, document: `${n}` }));
    await before.stores.events.write(events, { after: first, keptMs: 30 * 24 * 3_600_000 });
    return first;
  })();
  await using after = await startTestService({ database, records: true, env: { EVENTS_TTL_SECONDS: '60' } });
  const second = await recorded(after, workspace);
  const now = Date.now();
  const kept = await expiries();
  expect(kept).toEqual(kept.toSorted((a, b) => a.getTime() - b.getTime()));
  expect(kept.at(0)?.getTime()).toBeGreaterThan(now - 60_000);
  await expect.poll(() => Date.now(), { timeout: 20_000 }).toBeGreaterThan(now);
  const third = await recorded(after, workspace);

  // As MongoDB does a minute later.
  await stored().deleteMany({ expires_at: { $lte: kept.at(-1) ?? new Date() } });
  const lost = await after.ask('GET', `/v2/changes?after=${start}`, { as: 'client' });
  expect([lost.status, lost.body.code]).toEqual([410, 'HISTORY_LOST']);
  const next = await after.ask('GET', `/v2/changes?after=${second}`, { as: 'client' });
  expect(next.body.changes.map((change: { id: string }) => Number(change.id))).toEqual([third]);
}, 120_000);
