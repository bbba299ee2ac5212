import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { JoinedWork } from '../../src/store/transactions/joined-work.ts';
import { Turns } from '../../src/store/transactions/turns.ts';
import { commandsDuring } from '../profile.ts';
import { filePart, formOf, sendForm } from '../rest-compat/form.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';

const service = serviceFixture({ counts: true });

const WRITE_CONFLICT = 112;

const conflictsIn = async (work: () => Promise<unknown>): Promise<number> =>
  (await commandsDuring(service, work)).filter(({ errCode }) => errCode === WRITE_CONFLICT).length;

it('files attached to one job at once do not conflict', async () => {
  const { id } = await makeWorkspace(service);
  const job = (await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} })).body.id;
  const path = `/v2/workspaces/${id}/documents/${job}/attachments`;
  const conflicts = await conflictsIn(async () => {
    const all = Array.from({ length: 10 }, (_, index) => sendForm(service, path, formOf(filePart(`file ${index}`))));
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([201]));
  });
  expect(conflicts).toBe(0);
  expect((await service.ask('GET', `${path}?limit=100`, { as: 'vendor' })).body).toHaveLength(10);
});

it('bulks sent to one workspace at once do not conflict', async () => {
  const { id } = await makeWorkspace(service);
  const query = `mutation ($workspace: UUID!, $bodies: [DocumentBody!]!) {
    createDocuments(workspace: $workspace, type: "svc.inspection.job", bodies: $bodies) { id }
  }`;
  const conflicts = await conflictsIn(async () => {
    const bodies = Array.from({ length: 50 }, (_, index) => ({ refNumber: `bulk ${index}` }));
    const all = Array.from({ length: 6 }, () => service.graphql(query, { workspace: id, bodies }));
    for (const { body } of await Promise.all(all)) expect(body.errors).toBeUndefined();
  });
  expect(conflicts).toBe(0);
});

it.each([
  [
    'name the same record',
    async (workspace: string) => {
      const path = `/v2/workspaces/${workspace}/xrefs/products`;
      const { id } = (await service.ask('POST', path, { as: 'client', body: { name: 'Gasoil' } })).body;
      return { cargo: { product: id } };
    },
  ],
  ['name the same record that does not exist yet', async () => ({ cargo: { product: { name: 'Naphtha' } } })],
  [
    'name the same two records, in any order',
    async () => ({ transports: [{ name: 'Aurora' }, { name: 'Borealis' }], cargo: { product: { name: 'Jet' } } }),
  ],
  [
    'get the same parent',
    async (workspace: string) => {
      const { id } = (await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} })).body;
      return { parent: id };
    },
  ],
])('simultaneous changes of many documents that %s do not conflict', async (_how, patchIn) => {
  const { id } = await makeWorkspace(service);
  const documents = `/v2/workspaces/${id}/documents`;
  const bodies = Array.from({ length: 30 }, (_, index) => ({ refNumber: `${index}` }));
  const made = await service.ask('POST', `${documents}/bulk`, {
    as: 'vendor',
    body: { type: 'svc.inspection.job', body: bodies },
  });
  const body = await patchIn(id);
  const conflicts = await conflictsIn(async () => {
    const all = (made.body as { id: string }[]).map((job, index) => {
      const as = index % 2 ? 'client' : 'vendor';
      return service.ask('PATCH', `${documents}/${job.id}`, { as, body: { body } });
    });
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
  });
  expect(conflicts).toBe(0);
});

describe('turns', () => {
  const patient = { patienceMs: 60_000 };

  it('are taken in order of asking, even after a failure; other keys do not wait', async () => {
    const turns = new Turns();
    const told: string[] = [];
    const first = turns.run(
      'a',
      async () => {
        await setTimeout(50);
        told.push('first');
        throw new Error('failed');
      },
      patient,
    );
    const second = turns.run('a', async () => told.push('second'), patient);
    const other = turns.run('b', async () => told.push('other'), patient);
    await expect(first).rejects.toThrow('failed');
    await Promise.all([second, other]);
    expect(told).toEqual(['other', 'first', 'second']);
  });

  it('are waited for no longer than requested', async () => {
    const turns = new Turns();
    const endless = Promise.withResolvers<void>();
    const first = turns.run('a', () => endless.promise, patient);
    expect(await turns.run('a', async () => 'done', { patienceMs: 20 })).toBe('done');
    endless.resolve();
    await first;
  });
});

describe('joined work', () => {
  it('is done once per key for all who ask while it is under way, up to the batch limit', async () => {
    const first = Promise.withResolvers<void>();
    const done: string[] = [];
    const joined = new JoinedWork<string, string>(3, async (members) => {
      done.push(members.join());
      if (members.includes('a')) await first.promise;
      return members.join();
    });
    const a = joined.with('here', 'a');
    expect(await joined.with('there', 'z')).toBe('z');
    const rest = ['b', 'c', 'd', 'e'].map((member) => joined.with('here', member));
    first.resolve();
    expect(await Promise.all([a, ...rest])).toEqual(['a', 'b,c,d', 'b,c,d', 'b,c,d', 'e']);
    expect(done).toEqual(['a', 'z', 'b,c,d', 'e']);
  });

  it('does not wait long for slow work, and is done for the next after a failure', async () => {
    const joined = new JoinedWork<() => Promise<string>, string>(3, async ([only]) => (await only?.()) ?? '');
    const endless = Promise.withResolvers<string>();
    const first = joined.with('here', () => endless.promise);
    await setTimeout(5);
    const failing = () => Promise.reject(new Error('failed'));
    await expect(joined.with('here', failing)).rejects.toThrow('failed');
    expect(await joined.with('here', async () => 'done')).toBe('done');
    endless.resolve('late');
    expect(await first).toBe('late');
  });
});
