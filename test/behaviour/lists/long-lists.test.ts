import { get } from 'node:http';
import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCursors } from '../../open-cursors.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../../service.ts';

const JOBS = 2_500;

const service = serviceFixture();
const workspace = workspaceFixture(service);
let ids: Set<string>;

beforeAll(async () => {
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const { body: job } = await service.ask('POST', jobs, {
    as: 'client',
    body: { notes: 'x'.repeat(2_000), eta: '2026-01-01' },
  });
  const documents = service.stores.db.collection<{ _id: string }>('documents');
  const model = await documents.findOne({ _id: job.id });
  const copies = Array.from({ length: JOBS - 1 }, (_, i) => ({
    ...model,
    _id: newId(),
    version_id: newId(),
    created_at: new Date(1.7e12 + (i % 7)),
  }));
  await documents.insertMany(copies);
  ids = new Set([job.id, ...copies.map(({ _id }) => _id)]);
});

const idsOf = (answer: { body: { id: string }[] }) => answer.body.map(({ id }) => id);
const open = () => openCursors(service, 'documents');
const list = (query = '') => service.ask('GET', `/workspaces/${workspace.id}/jobs${query}`, { as: 'client' });
/** Reads a list until its first bytes arrive, then hangs up. */
function hangUp(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(
      `${service.url}${path}`,
      { headers: { authorization: `Bearer ${CALLERS.client}` } },
      (response) => {
        response.once('data', () => {
          request.destroy();
          resolve();
        });
      },
    );
    request.on('error', reject);
  });
}

describe('a list without limit', () => {
  it('of thousands is the whole set, once each and in order', async () => {
    const answer = await list();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.body).toHaveLength(JOBS);
    expect(new Set(idsOf(answer))).toEqual(ids);
    const newest = (
      await service.ask('GET', `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&limit=2400`, {
        as: 'vendor',
      })
    ).body;
    expect(idsOf({ body: newest })).toEqual(idsOf(answer).slice(0, 2_400));
  });

  it.each(['?sort=eta:asc', '?sort=notes:desc&offset=3', '?limit=2499&offset=1', '?status=null'])(
    'is whole with %s',
    async (query) => {
      const offset = Number(/offset=(\d+)/.exec(query)?.[1] ?? 0);
      const found = idsOf(await list(query));
      expect([found.length, new Set(found).size]).toEqual([JOBS - offset, JOBS - offset]);
    },
  );

  it.each([999, 1_000, 1_001, 2_000, 2_001, 2_500, 2_501])('has as many rows as requested: limit=%i', async (limit) => {
    expect(idsOf(await list(`?limit=${limit}`))).toHaveLength(Math.min(limit, JOBS));
  });

  it('is compressed on request', async () => {
    const response = await fetch(`${service.url}/workspaces/${workspace.id}/jobs`, {
      headers: { authorization: `Bearer ${CALLERS.client}`, 'accept-encoding': 'gzip' },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.json()).toHaveLength(JOBS);
  });

  it('leaves no cursor open, whether it is read to its end or not', async () => {
    const kept = service.stores.db.collection('documents').find().batchSize(1);
    await kept.next();
    await expect.poll(open).toBe(1);
    await kept.close();
    await list('?limit=1000');
    await list('?limit=1500');
    const first = 'query L($w: UUID!) { jobs(workspace: $w, first: 1000) { nodes { id } } }';
    await service.graphql(first, { w: workspace.id });
    for (let i = 0; i < 5; i++) await hangUp(`/workspaces/${workspace.id}/jobs`);
    await expect.poll(open).toBe(0);
  });
});
