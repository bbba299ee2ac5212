// May take 60 s: each kind of change is tried under ten faults, and the driver backs off between its retries.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { CHUNK_SIZE } from '../../src/store/files/chunk-writer.ts';
import { DEMO, quickHash } from '../auth/sign-in.ts';
import { type Answer, CALLERS } from '../service.ts';
import { type FaultFixture, mark, startFaultFixture } from './fault-fixture.ts';
import { type Trial, tryUnderFaults, type WriteKind, writeTable } from './trials.ts';

let fixture: FaultFixture;
const table = new Map<string, Awaited<ReturnType<typeof tryUnderFaults>>>();

beforeAll(async () => {
  fixture = await startFaultFixture();
  await fixture.service.stores.users.update(DEMO.username, { password: quickHash(DEMO.password) });
});
afterAll(async () => {
  writeTable('changes', table);
  await fixture.stop();
});

const COMMIT = { commands: ['commitTransaction'] };
const DELETED = { ...COMMIT, repeated: [404] };

const post = async (path: string, body: object): Promise<string> =>
  (await fixture.service.ask('POST', path, { as: 'client', body })).body.id;

const jobs = () => `/workspaces/${fixture.workspace.id}/jobs`;

const patch = async (): Promise<Trial> => {
  const id = await post(jobs(), { notes: 'before' });
  return {
    send: () => fixture.service.ask('PATCH', `${jobs()}/${id}`, { as: 'client', body: { notes: 'after' } }),
    times: async () => ((await fixture.service.stores.documents.findOne({ _id: id }))?.revision ?? 0) - 1,
  };
};

/** A deletion: 1 where nothing is left, 0 where everything is still there; anything else is a failure. */
const deletion = (path: string, parts: readonly (readonly [string, object])[]): Trial => ({
  send: () => fixture.service.ask('DELETE', path, { as: 'client' }),
  times: async () => {
    const left = await Promise.all(parts.map(([collection, filter]) => fixture.count(collection, filter)));
    return left.every((count) => count === 0) ? 1 : left.every((count) => count > 0) ? 0 : -1;
  },
});

const jobWithChild = async () => {
  const id = await post(jobs(), {});
  const child = await post(jobs(), { parent: id });
  const parts = [id, child].map((_id) => ['documents', { _id }] as const);
  return deletion(`${jobs()}/${id}`, parts);
};

/** Jobs deleted at once: 1 each where it is gone and left one tombstone and one audit line, 0 where nothing was done. */
const jobsAtOnce = async (): Promise<Trial[]> => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => post(jobs(), {})));
  return ids.map((_id) => ({
    send: () => fixture.service.ask('DELETE', `${jobs()}/${_id}`, { as: 'client' }),
    async times() {
      const gone = { entity: _id, action: 'document.deleted' };
      const parts = [
        fixture.count('documents', { _id }),
        fixture.count('tombstones', { _id }),
        fixture.count('audit_log', gone),
      ];
      return { '0,1,1': 1, '1,0,0': 0 }[(await Promise.all(parts)).join()] ?? -1;
    },
  }));
};

const emptyWorkspace = async () => {
  const parties = { client: { id: fixture.workspace.client }, vendor: { id: fixture.workspace.vendor } };
  const id = await post('/workspaces', { description: mark(), parties });
  await post(`/workspaces/${id}/catalogs/products`, { name: mark() });
  const parts = [
    ['workspaces', { _id: id }],
    ['catalog_records', { workspace: id }],
  ] as const;
  return deletion(`/v2/workspaces/${id}`, parts);
};

const organization = async () => {
  const _id = await post('/v2/organizations', { name: mark(), category: 'shipper' });
  return deletion(`/v2/organizations/${_id}`, [['organizations', { _id }]]);
};

const record = async () => {
  const path = `/workspaces/${fixture.workspace.id}/catalogs/products`;
  const _id = await post(path, { name: mark() });
  return deletion(`${path}/${_id}`, [['catalog_records', { _id }]]);
};

/** A file of that many chunks; it counts once when its record, chunks and attachment are all there. */
const uploadOf = (chunks: number) => async (): Promise<Trial> => {
  const id = await post(jobs(), {});
  const bytes = new Uint8Array((chunks - 0.5) * CHUNK_SIZE).fill(7);
  const headers = { Authorization: `Bearer ${CALLERS.client}`, 'Idempotency-Key': mark() };
  return {
    async send(): Promise<Answer> {
      const body = new FormData();
      body.set('file', new Blob([bytes]), 'report.bin');
      const path = `/v2/workspaces/${fixture.workspace.id}/documents/${id}/attachments`;
      const response = await fetch(`${fixture.service.url}${path}`, { method: 'POST', headers, body });
      return { status: response.status, headers: response.headers, text: await response.text(), body: undefined };
    },
    async times() {
      const [attachment, ...more] = await fixture.service.stores.attachments.findMany({ parent_id: id });
      if (!attachment) return 0;
      const file = String(attachment.stored('file.id'));
      const stored = await fixture.count('fs.chunks', { files_id: file });
      return more.length === 0 && stored === chunks ? await fixture.count('fs.files', { _id: file as never }) : -1;
    },
  };
};

/** An acknowledged session can be used; an unacknowledged one belongs to nobody. */
const signIn = async (): Promise<Trial> => ({
  send: () =>
    fixture.service.ask('POST', '/api/rest/1.0/session', {
      body: DEMO,
    }),
  async times({ status, headers }) {
    if (status !== 201) return 0;
    const cookie = String(headers.get('set-cookie')).split(';')[0] ?? '';
    return (await fixture.service.ask('GET', '/api/rest/1.0/session', { headers: { cookie } })).status === 200 ? 1 : 0;
  },
});

const one = (make: () => Promise<Trial>) => async () => [await make()];

const KINDS: readonly WriteKind[] = [
  { name: 'PATCH: version', commands: ['update'], collection: 'versions', trials: one(patch) },
  { name: 'PATCH: replace', commands: ['update'], collection: 'documents', trials: one(patch) },
  {
    name: 'DELETE job with a child: erase',
    ...DELETED,
    commands: ['delete'],
    collection: 'documents',
    trials: one(jobWithChild),
  },
  { name: 'DELETE job with a child: commit', ...DELETED, trials: one(jobWithChild) },
  ...[
    ['erase', 'delete', 'documents'],
    ['tombstones', 'insert', 'tombstones'],
    ['audit log', 'insert', 'audit_log'],
    ['erasures', 'update', 'erasures'],
  ].map(([name, command = '', collection = '']) => ({
    name: `DELETE jobs at once: ${name}`,
    ...DELETED,
    commands: [command],
    collection,
    trials: jobsAtOnce,
  })),
  { name: 'DELETE jobs at once: commit', ...DELETED, trials: jobsAtOnce },
  {
    name: 'DELETE workspace: mark',
    ...DELETED,
    commands: ['update'],
    collection: 'workspaces',
    trials: one(emptyWorkspace),
  },
  { name: 'DELETE workspace: commit', ...DELETED, trials: one(emptyWorkspace) },
  { name: 'DELETE organization: commit', ...DELETED, trials: one(organization) },
  {
    name: 'DELETE catalog record: mark',
    ...DELETED,
    commands: ['update'],
    collection: 'catalog_records',
    trials: one(record),
  },
  { name: 'DELETE catalog record: commit', ...DELETED, trials: one(record) },
  { name: 'upload: chunks', commands: ['insert'], collection: 'fs.chunks', trials: one(uploadOf(2)) },
  { name: 'upload: end of the file', commands: ['update'], collection: 'loose_files', trials: one(uploadOf(2)) },
  { name: 'upload: attach', ...COMMIT, trials: one(uploadOf(2)) },
  { name: 'small upload: chunk', commands: ['insert'], collection: 'fs.chunks', trials: one(uploadOf(1)) },
  { name: 'small upload: attach', ...COMMIT, trials: one(uploadOf(1)) },
  {
    name: 'small uploads at once: attach',
    ...COMMIT,
    trials: () => Promise.all(Array.from({ length: 8 }, uploadOf(1))),
  },
  { name: 'sign-in', commands: ['insert'], collection: 'sessions', trials: one(signIn) },
];

describe('a change answers 2xx only if it was made once, else 503, and a retry makes it', () => {
  it.each(KINDS)('$name', async (kind) => {
    table.set(kind.name, await tryUnderFaults(fixture.mongod, fixture.service, kind));
  });
});
