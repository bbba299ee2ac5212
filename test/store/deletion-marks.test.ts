import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deletionMarkOf } from '../../src/store/entities/deletion-mark.ts';
import { rollBack } from '../../src/store/transactions/transaction.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const NOW = new Date('2026-05-01T12:00:00Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

async function workspaceOf() {
  const { id } = await makeWorkspace(service);
  const { workspaces } = service.stores;
  const found = await workspaces.byId(id);
  if (!found) throw new Error('The workspace is not there.');
  return { id, found, workspaces };
}

/** The number of workspaces a transaction could write to at that time. */
const fenced = (id: string, at: Date) =>
  service.stores.transaction((tx) => service.stores.workspaces.fence({ _id: id }, at, tx));

it('keeps transactions and other deletions away from a marked entity for 30 seconds', async () => {
  const { id, found, workspaces } = await workspaceOf();
  expect(await fenced(id, NOW)).toBe(1);
  expect(await workspaces.markDeleting(deletionMarkOf(found, NOW))).toBe(true);
  expect(await fenced(id, after(29))).toBe(0);
  expect(await workspaces.markDeleting(deletionMarkOf(found, after(29)))).toBe(false);
  expect(await fenced(id, after(31))).toBe(1);
  expect(await workspaces.markDeleting(deletionMarkOf(found, after(31)))).toBe(true);
});

it('removes only the mark of its own deletion', async () => {
  const { id, found, workspaces } = await workspaceOf();
  const own = deletionMarkOf(found, NOW);
  await workspaces.markDeleting(own);
  await workspaces.unmark(deletionMarkOf(found, after(1)));
  expect(await fenced(id, after(2))).toBe(0);
  await workspaces.unmark(own);
  expect(await fenced(id, after(2))).toBe(1);
});

it('returns the result of a rolled-back transaction, and keeps none of its writes', async () => {
  const { id, workspaces } = await workspaceOf();
  const outcome = await service.stores.transaction(async (tx) => {
    await workspaces.erase({ _id: id }, tx);
    await rollBack(tx);
    return 'a conflict';
  });
  expect(outcome).toBe('a conflict');
  expect(await workspaces.byId(id)).toBeDefined();
});

/** Buries entities of a workspace in their own transaction. */
async function burying() {
  const { id: workspace } = await workspaceOf();
  const { tombstones, transaction } = service.stores;
  const source = { tenant: null, principal: null, address: undefined, requestId: undefined, operation: 'test' };
  const bury = (at: Date, ids: readonly string[]) => {
    const erased = ids.map((_id) => ({ _id, workspace, type: 'svc.inspection.timelog', revision: 1, readers: [] }));
    return transaction((tx) => tombstones.bury(erased as never, { sourceOf: () => source as never, at }, tx));
  };
  return { tombstones, bury };
}

it('replaces the tombstone of an entity buried before', async () => {
  const { tombstones, bury } = await burying();
  const twice = newId();
  await bury(NOW, [twice]);
  await bury(after(60), [twice]);
  expect((await tombstones.grave(twice))?.deleted_at).toEqual(after(60));
});

it('buries many at once, replacing the tombstones of those buried before', async () => {
  const { tombstones, bury } = await burying();
  const [first, twice, last] = [newId(), newId(), newId()];
  await bury(NOW, [first, twice]);
  await bury(after(60), [last, twice]);
  const graves = await Promise.all([first, twice, last].map((id) => tombstones.grave(id)));
  expect(graves.map((grave) => grave?.deleted_at)).toEqual([NOW, after(60), after(60)]);
});
