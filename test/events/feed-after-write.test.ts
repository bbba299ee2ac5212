import { beforeAll, expect, it } from 'vitest';
import { serviceFixture, startTestService, type TestService, workspaceFixture } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
beforeAll(() => projectorBegins(service));

interface Change {
  readonly kind: string;
  readonly document_id: string;
}

const place = async (): Promise<string> => {
  for (let after = ''; ; ) {
    const { body } = await service.ask('GET', `/v2/changes?limit=1000${after}`, { as: 'client' });
    after = `&after=${body.next}`;
    if (body.changes.length < 1_000) return after;
  }
};

/** Writes through each family in turn, reading the feed of a gateway after each; returns what was missing there. */
async function missing(reader: TestService, rounds: number): Promise<string[]> {
  const after = await place();
  const lost: string[] = [];
  const isThere = async (kind: string, id: string) => {
    const { body } = await reader.ask('GET', `/v2/workspaces/${workspace.id}/changes?limit=1000${after}`, {
      as: 'client',
    });
    const found = body.changes.some((one: Change) => one.kind === kind && one.document_id === id);
    if (!found) lost.push(`${kind} ${id}`);
  };
  const jobs = `/workspaces/${workspace.id}/jobs`;
  for (let round = 0; round < rounds; round++) {
    const legacy = await service.ask('POST', jobs, { as: 'client', body: { refNumber: `L ${round}` } });
    await isThere('CREATED', legacy.body.id);
    const body = { type: 'svc.inspection.job', body: { refNumber: `V ${round}` } };
    const v2 = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, { as: 'client', body });
    await isThere('CREATED', v2.body.id);
    const id = v2.body.id;
    const mutation = 'mutation M($id: UUID!) { updateJob(id: $id, patch: { notes: "x" }) { id } }';
    await service.graphql(mutation, { id });
    await isThere('CHANGED', id);
    await service.ask('DELETE', `${jobs}/${id}`, { as: 'client' });
    await isThere('DELETED', id);
  }
  return lost;
}

it('the feed has what was acknowledged before the request', async () => {
  expect(await missing(service, 10)).toEqual([]);
  const writers = Array.from({ length: 8 }, () => missing(service, 5));
  expect((await Promise.all(writers)).flat()).toEqual([]);
});

it('so does that of a gateway that does not record', async () => {
  await using other = await startTestService({ database: service.stores.db.databaseName });
  expect(await missing(other, 5)).toEqual([]);
  expect((await Promise.all(Array.from({ length: 4 }, () => missing(other, 3)))).flat()).toEqual([]);
});

it('the feed has all of a bulk', async () => {
  const after = await place();
  const body = { type: 'svc.inspection.job', body: Array.from({ length: 900 }, (_, i) => ({ refNumber: `B ${i}` })) };
  await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, { as: 'client', body });
  const feed = await service.ask('GET', `/v2/changes?limit=1000${after}`, { as: 'client' });
  expect(feed.body.changes).toHaveLength(900);
});

it('when nobody records, the feed returns what there is after two seconds', async () => {
  await using alone = await startTestService();
  const begun = performance.now();
  const { status, body } = await alone.ask('GET', '/v2/changes', { as: 'client' });
  expect([status, body.changes]).toEqual([200, []]);
  expect(performance.now() - begun).toBeGreaterThan(1_900);
});
