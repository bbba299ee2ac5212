import { expect, it, vi } from 'vitest';
import { SYSTEM_CLOCK_AND_IDS } from '../../../src/domain/request/clock-and-ids.ts';
import { RequestContext } from '../../../src/domain/request/request-context.ts';
import { retryOnConflict } from '../../../src/domain/versions/versions.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { jobDocuments } from './job-documents.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const { create, patch, get } = jobDocuments(service, workspace);

const AT_ONCE = 40;
const members = Array.from({ length: AT_ONCE }, (_, index) => [`member${index}`, index] as const);

it('concurrent changes of one document all succeed, each with at most one retry after a conflict', async () => {
  const job = await create({});
  const commands = await commandsDuring(service, async () => {
    const answers = await Promise.all(members.map(([name, value]) => patch(job.id, { [name]: value })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
  expect((await get(job.id)).body.body).toMatchObject(Object.fromEntries(members));
  const tries = commands.filter(({ ns, op }) => op === 'update' && String(ns).endsWith('.versions'));
  expect(tries.length).toBeLessThanOrEqual(2 * AT_ONCE);
});

it('a reference record put by many at once is created once, and updated by all', async () => {
  const put = (index: number) =>
    service.ask('PUT', '/api/rest/1.0/ports/AT-ONCE', { as: 'client', body: { name: `Port ${index}` } });
  const answers = await Promise.all(members.map(([, index]) => put(index)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(AT_ONCE - 1).fill(200), 201]);
});

const gone = new AbortController();
const viewer = { id: 'someone', tenant: 'someone', name: 'Someone', scopes: new Set(['write'] as const) };
const contextOf = (client?: { readonly gone: AbortSignal }) =>
  new RequestContext(viewer, service.stores, { sources: SYSTEM_CLOCK_AND_IDS, client });

it('a change that others leave no gap for is 503 after some seconds, with Retry-After', async () => {
  const started = performance.now();
  const clock = vi.spyOn(performance, 'now');
  let tries = 0;
  try {
    const change = retryOnConflict(contextOf(), 'one', async () => {
      tries += 1;
      clock.mockReturnValue(started + tries * 2_000);
      return undefined;
    });
    await expect(change).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '5' } });
  } finally {
    clock.mockRestore();
  }
  expect(tries).toBeGreaterThan(3);
  expect(service.stores.turns.isTaken('one')).toBe(false);
});

it('a change waiting for others does not begin once its client has left', async () => {
  const first = Promise.withResolvers<string>();
  const tried: string[] = [];
  const meeting = (name: string) => async () => {
    tried.push(name);
    return tried.filter((one) => one === name).length === 1 ? undefined : first.promise;
  };
  const one = retryOnConflict(contextOf(), 'two', meeting('one'));
  await vi.waitFor(() => expect(tried).toEqual(['one', 'one']), { timeout: 20_000 });
  const left = retryOnConflict(contextOf({ gone: gone.signal }), 'two', meeting('left'));
  const last = retryOnConflict(contextOf(), 'two', async () => 'done');
  gone.abort();
  first.resolve('made');
  expect(await one).toBe('made');
  await expect(left).rejects.toMatchObject({ code: 'TIMED_OUT' });
  expect(await last).toBe('done');
  expect(tried).toEqual(['one', 'one']);
});
