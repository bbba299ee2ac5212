import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StepsAtOneTime } from '../../../src/store/connection/snapshot-reads.ts';
import { ListReads } from '../../../src/store/lists/list-reads.ts';
import { type FaultyMongod, startFaultyMongod } from '../../faults/faulty-mongod.ts';
import { makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../../service.ts';

const JOBS = 600;
const WRITERS = 4;

/** A MongoDB of its own: what is set here slows down every other reader. On a sharded cluster, it is that of the whole run. */
let mongod: FaultyMongod | undefined;
let service: TestService;
let workspace: TestWorkspace;
let ids: string[];

beforeAll(async () => {
  if (!process.env.TEST_SHARDED_URI) mongod = await startFaultyMongod();
  service = await startTestService(mongod && { uri: mongod.uri });
  workspace = await makeWorkspace(service);
  const jobs = Array.from({ length: JOBS }, (_, n) => ({
    ...{ refNumber: `B-${n}`, status: n % 3 ? 'active' : 'pending', eta: '2026-05-01', notes: 'x'.repeat(300) },
    cargo: { quantity: n % 7 },
  }));
  const body = { type: 'svc.inspection.job', body: jobs };
  const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
  const made = await service.ask('POST', path, { as: 'client', body });
  expect(made.status).toBe(201);
  ids = made.body.map(({ id }: { id: string }) => id);
  // MongoDB yields to writers after each index key.
  await mongod?.client.db('admin').command({ setParameter: 1, internalQueryExecYieldIterations: 1 });
});
afterAll(async () => {
  await service.stop();
  await mongod?.[Symbol.asyncDispose]();
});

/** Does some work while jobs are changed, sequentially and concurrently, in fields that no list is ordered by. */
async function whileChanged(work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const path = (n: number) => `/v2/workspaces/${workspace.id}/documents/${ids[n % JOBS]}`;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = writer * 150; !isOver; n += 7) {
      const body = { body: { notes: `changed ${n}` } };
      expect((await service.ask('PATCH', path(n), { as: 'vendor', body })).status).toBe(200);
    }
  });
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(writers);
  }
}

const idsAt = async (path: string) => {
  const { body, headers } = await service.ask('GET', path, { as: 'client' });
  return { found: body.map(({ id }: { id: string }) => id) as string[], headers };
};
const scope = () => ({ workspace: workspace.id, type: 'svc.inspection.job' });
const sorted = (found: readonly string[]) => [...found].sort();

describe('a list of jobs changed while it is read', () => {
  it.each([
    'sort=status',
    'sort=cargo.quantity',
    'sort=eta,status',
    'sort=created_by',
    'sort=location.name',
    'cargo.quantity=0&cargo.quantity=1&cargo.quantity=2&cargo.quantity=3&cargo.quantity=4&cargo.quantity=5&cargo.quantity=6',
    'sort=status&limit=1000',
  ])('has each job once: %s', async (query) => {
    await whileChanged(async () => {
      for (let round = 0; round < 5; round++) {
        const { found } = await idsAt(`/workspaces/${workspace.id}/jobs?${query}`);
        expect(sorted(found)).toEqual(sorted(ids));
      }
    });
  });

  it('has each job once when following its links', async () => {
    await whileChanged(async () => {
      const all: string[] = [];
      let next: string | undefined = `/workspaces/${workspace.id}/jobs?sort=cargo.quantity:desc&limit=37`;
      while (next) {
        const { found, headers } = await idsAt(next);
        all.push(...found);
        next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(service.url, '');
      }
      expect(sorted(all)).toEqual(sorted(ids));
    });
  });

  it('is counted completely, and each job is found by what it has', async () => {
    const since = { stored: 'modified_at', than: 'gte', value: new Date(0) } as const;
    const query = { reader: 't', scope: scope(), conditions: [since], order: [] };
    await whileChanged(async () => {
      for (let round = 0; round < 40; round++) {
        expect(await service.stores.documents.count(query)).toBe(JOBS);
        const found = await service.stores.documents.ids(query, { limit: JOBS + 1 });
        expect(sorted(found.ids)).toEqual(sorted(ids));
      }
    });
  });

  it('has a job once that moved from first to last meanwhile', async () => {
    const order = ['modified_at', '_id'].map((stored) => ({ stored, descending: false }));
    const list = service.stores.documents.stream({ reader: 't', scope: scope(), conditions: [], order }, { offset: 0 });
    const first = (await list.read(100)).nodes.map(({ id }) => id);
    const path = `/v2/workspaces/${workspace.id}/documents/${first[0]}`;
    const changed = await service.ask('PATCH', path, { as: 'vendor', body: { body: { notes: 'the last one' } } });
    expect(changed.status).toBe(200);
    const rest: string[] = [];
    for (let hasMore = true; hasMore; ) {
      const rows = await list.read(100);
      rest.push(...rows.nodes.map(({ id }) => id));
      hasMore = rows.hasMore;
    }
    expect(sorted([...first, ...rest])).toEqual(sorted(ids));
  });

  it.each([
    ['by itself', false],
    ['at the time of other reads', true],
  ])(
    'resumes when MongoDB no longer has the snapshot at which it began, %s',
    async (_, isShared) => {
      const order = [
        { stored: 'body.cargo.quantity', descending: false },
        { stored: '_id', descending: false },
      ];
      const query = { reader: 't', scope: scope(), conditions: [], order };
      const HISTORY = { minSnapshotHistoryWindowInSeconds: 1 };
      await mongod?.client.db('admin').command({ setParameter: 1, ...HISTORY });
      const { db } = service.stores;
      const steps = isShared ? new StepsAtOneTime(db) : undefined;
      const list = new ListReads(db.collection<Document>('documents')).stream(query, { offset: 0, steps });
      const found: string[] = [];
      await whileChanged(async () => {
        for (;;) {
          const { nodes, hasMore } = await list.read(250);
          found.push(...nodes.map(({ id }) => id));
          if (!hasMore) break;
          await sleep(mongod ? 3_000 : 20_000); // longer than MongoDB keeps it
        }
      });
      await steps?.end();
      expect([found.length, sorted(found)]).toEqual([JOBS, sorted(ids)]);
    },
    120_000,
  );
});
