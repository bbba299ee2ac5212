import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../../src/demo/principals.ts';
import { commandsDuring } from '../../profile.ts';
import { filePart, formOf, sendForm } from '../../rest-compat/form.ts';
import { type Answer, CALLERS, type Caller, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';
import { jobDocuments } from './job-documents.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
const { pathOf, create, patch, get } = jobDocuments(service, workspace);

const remove = (id: string, as: Caller = 'client', headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  service.ask('DELETE', pathOf(id), { as, headers });
const createMany = (count: number, body: object = {}) => Promise.all(Array.from({ length: count }, () => create(body)));
const collection = (name: string) => service.stores.db.collection<{ _id: string }>(name);

interface Trace {
  readonly principal?: { readonly id: string };
  readonly request_id?: string;
}

const shown = (trace: Trace | undefined) => [trace?.principal?.id, trace?.request_id];

/** Who deleted each, and in which request, by its tombstone and by its audit log entries. */
const tracesOf = (ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const grave = await collection('tombstones').findOne<{ deletion: Trace }>({ _id: id });
      const ofIt = { entity: id, action: 'document.deleted' } as never;
      const lines = await collection('audit_log').find<Trace>(ofIt).toArray();
      return [shown(grave?.deletion), ...lines.map(shown)];
    }),
  );

describe('concurrent deletions of several documents', () => {
  it('share transactions, and each has its own response, author, tombstone, audit entry and event', async () => {
    const jobs = await createMany(30);
    const callers = jobs.map((_, index): Caller => (index % 2 ? 'vendor' : 'client'));
    let answers: Answer[] = [];
    const commands = await commandsDuring(service, async () => {
      answers = await Promise.all(
        jobs.map(({ id }, index) => remove(id, callers[index], { 'X-Request-Id': `request-${index}` })),
      );
    });
    const burials = commands.filter(({ command }) => command.insert === 'tombstones'); // the profile omits commits
    expect(burials.length).toBeGreaterThan(0);
    expect(burials.length).toBeLessThan(10);
    expect(answers.map(({ status, body }) => [status, body])).toEqual(jobs.map((job) => [200, job]));
    const principals = new Map(DEMO_KEYS.map(({ key, id }) => [key, id]));
    const wanted = callers.map((as, index) => [principals.get(CALLERS[as]), `request-${index}`]);
    expect(await tracesOf(jobs.map(({ id }) => id))).toEqual(wanted.map((trace) => [trace, trace]));
    const events = () =>
      collection('events').countDocuments({ kind: 'deleted', document: { $in: jobs.map(({ id }) => id) } } as never);
    await expect.poll(events, { timeout: 20_000 }).toBe(jobs.length);
  });

  it('are refused each for its own reason, whatever becomes of the others', async () => {
    const [first, stale, twice, mine, parent, attached, ...others] = await createMany(16);
    const foreign = await makeWorkspace(service);
    const changed = (await patch(stale.id, { notes: 'x' })).body;
    const child = await create({ parent: parent.id });
    await sendForm(service, `${pathOf(attached.id)}/attachments`, formOf(filePart('a file')));
    const answers = await Promise.all([
      remove(first.id, 'client', { 'If-Match': `"${first.version_id}"` }),
      remove(stale.id, 'client', { 'If-Match': `"${stale.version_id}"` }),
      remove(twice.id),
      remove(twice.id, 'vendor'),
      remove(mine.id, 'stranger'),
      remove(parent.id),
      remove(attached.id),
      remove('00000000-0000-7000-8000-000000000000'),
      service.ask('DELETE', `/v2/workspaces/${foreign.id}/documents/${mine.id}`, { as: 'client' }),
      ...others.map(({ id }) => remove(id)),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(2, 4).sort()).toEqual([200, 404]);
    expect([...statuses.slice(0, 2), ...statuses.slice(4, 9)]).toEqual([200, 412, 403, 200, 200, 404, 404]);
    expect(new Set(statuses.slice(9))).toEqual(new Set([200]));
    expect((await get(stale.id)).body).toEqual(changed);
    expect((await get(mine.id)).status).toBe(200);
    const gone = [first, twice, parent, child, attached, ...others].map(({ id }) => id);
    for (const id of gone) expect((await get(id)).status).toBe(404);
    for (const traces of await tracesOf(gone)) expect(traces).toHaveLength(2);
    expect(await collection('attachments').countDocuments({ parent_id: attached.id } as never)).toBe(0);
  });

  it('do not wait for a document locked by another transaction', async () => {
    const jobs = await createMany(8);
    const [held, ...others] = jobs.map(({ id }) => id);
    const { documents, transaction } = service.stores;
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holding = transaction(async (tx) => {
      await documents.fence({ _id: held }, new Date(), tx);
      begun.resolve();
      await released.promise;
    });
    await begun.promise;
    const deletion = remove(held);
    expect(new Set((await Promise.all(others.map((id) => remove(id)))).map(({ status }) => status))).toEqual(
      new Set([200]),
    );
    expect((await get(held)).status).toBe(200);
    released.resolve();
    await holding;
    expect((await deletion).status).toBe(200);
    for (const traces of await tracesOf(jobs.map(({ id }) => id))) expect(traces).toHaveLength(2);
  });

  it('meet changes of the same documents: each is deleted in its last version', async () => {
    for (let round = 0; round < 10; round++) {
      const jobs = await createMany(6);
      const deleting = Promise.all(jobs.map(({ id }) => remove(id)));
      const changing = Promise.all(jobs.map(({ id }, index) => patch(id, { notes: `${index}` })));
      const [deleted, changed] = await Promise.all([deleting, changing]);
      for (const [index, { status, body }] of deleted.entries()) {
        const change = changed[index] as Answer;
        expect([status, [200, 404].includes(change.status)]).toEqual([200, true]);
        expect(body.version_id).toBe((change.status === 200 ? change.body : jobs[index]).version_id);
      }
    }
  });

  it('leave no child behind that is created below one of them at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const jobs = await createMany(6);
      const deleting = jobs.map(({ id }) => remove(id));
      await sleep(round);
      const made = jobs.map(({ id }) =>
        service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, {
          as: 'vendor',
          body: { type: 'svc.inspection.job', body: { parent: id } },
        }),
      );
      expect(new Set((await Promise.all(deleting)).map(({ status }) => status))).toEqual(new Set([200]));
      for (const { status } of await Promise.all(made)) expect([201, 400]).toContain(status);
      const parents = { parent_id: { $in: jobs.map(({ id }) => id) } };
      expect(await collection('documents').countDocuments(parents as never)).toBe(0);
    }
  });

  it('leave no file behind that is attached to one of them at the same moment', async () => {
    const form = formOf(filePart('a file'));
    for (let round = 0; round < 8; round++) {
      const jobs = await createMany(8);
      const removed = Promise.all(jobs.map(({ id }) => remove(id)));
      const attached = Promise.all(jobs.map(({ id }) => sendForm(service, `${pathOf(id)}/attachments`, form)));
      expect((await removed).map(({ status }) => status)).toEqual(jobs.map(() => 200));
      for (const { status } of await attached) expect([201, 404]).toContain(status);
      expect(
        await collection('attachments').countDocuments({ parent_id: { $in: jobs.map(({ id }) => id) } } as never),
      ).toBe(0);
    }
  });

  it('include documents that were deleted before, and exist again', async () => {
    const jobs = await createMany(6);
    const [again] = jobs;
    const stored = await collection('documents').findOne({ _id: again.id });
    expect((await remove(again.id)).status).toBe(200);
    await collection('documents').insertOne(stored as never);
    const statuses = (await Promise.all(jobs.map(({ id }) => remove(id)))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const graves = { _id: { $in: jobs.map(({ id }) => id) } };
    expect(await collection('tombstones').countDocuments(graves)).toBe(jobs.length);
  });
});
