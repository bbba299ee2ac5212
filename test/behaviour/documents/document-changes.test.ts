import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { jobDocuments } from './job-documents.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const { pathOf, create, patch, get } = jobDocuments(service, workspace);
const versionsOf = async (id: string) => {
  const { body } = await service.graphql(
    'query Versions($id: UUID!) { document(id: $id) { versions { versionId number modifiedBy modifiedAt body } } }',
    { id },
  );
  return body.data.document.versions as {
    versionId: string;
    number: number;
    modifiedBy: string;
    modifiedAt: string;
    body: Record<string, unknown>;
  }[];
};

describe('a patch', () => {
  it('is merged: null removes, objects merge, arrays and other values are replaced', async () => {
    const job = await create({
      refNumber: 'R',
      notes: 'old',
      extra: { keep: 1, drop: 2, deep: { a: 1, b: [1, 2] } },
      list: [{ a: 1 }, 2],
    });
    const { status, body } = await patch(job.id, {
      notes: null,
      extra: { drop: null, deep: { b: [3], c: { d: null, e: 1 } } },
      list: [null],
      never: null,
      refNumber: 'S',
    });
    expect(status).toBe(200);
    expect(body.body).toEqual({
      workspace: workspace.id,
      refNumber: 'S',
      extra: { keep: 1, deep: { a: 1, b: [3], c: { e: 1 } } },
      list: [null],
    });
    const again = await patch(job.id, { extra: 'text', list: { now: 'an object' } });
    expect(again.body.body).toMatchObject({ extra: 'text', list: { now: 'an object' } });
    expect((await patch(job.id, { extra: { from: 'text' } })).body.body.extra).toEqual({ from: 'text' });
  });

  it('changes the envelope as it should, and nothing else', async () => {
    const job = await create({});
    const { body: changed } = await patch(job.id, { notes: 'x' }, { as: 'vendor' });
    const { version_id, modified_by, modified_at, body: _body, ...same } = changed;
    expect(same).toEqual(
      expect.objectContaining({
        id: job.id,
        created_by: job.created_by,
        created_at: job.created_at,
        type: job.type,
        schema: job.schema,
      }),
    );
    expect(version_id).not.toBe(job.version_id);
    expect(modified_by).not.toBe(job.modified_by);
    expect(Date.parse(modified_at)).toBeGreaterThanOrEqual(Date.parse(job.modified_at));
    expect(job.modified_by).toBe(job.created_by);
  });

  it('must be an object in the member body', async () => {
    const job = await create({});
    for (const body of [{}, { body: null }, { body: [] }, { body: 'x' }, { notes: 'beside' }]) {
      const answer = await service.ask('PATCH', pathOf(job.id), { as: 'client', body });
      expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_INPUT', errors: [{ path: '/body' }] });
    }
    expect((await get(job.id)).body).toEqual(job);
  });

  it('that violates the schema changes nothing', async () => {
    const job = await create({ status: 'pending', cargo: { quantity: 5 } });
    const refused = await patch(job.id, { notes: 'new', status: 'late', cargo: { quantity: {} }, eta: '2026-02-30' });
    expect(refused.body).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    expect(refused.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      '/body/cargo/quantity',
      '/body/eta',
      '/body/status',
    ]);
    expect((await get(job.id)).body).toEqual(job);
    expect(await versionsOf(job.id)).toHaveLength(1);
  });

  it('that changes nothing creates no version', async () => {
    const job = await create({ notes: 'same', cargo: { quantity: 1 }, list: [1], location: { name: 'Port Same' } });
    for (const body of [
      {},
      { notes: 'same' },
      { cargo: {} },
      { cargo: { quantity: 1, none: null } },
      { list: [1] },
      { location: { name: ' port SAME' } },
      { workspace: workspace.id },
    ]) {
      const answer = await patch(job.id, body, { as: 'vendor' });
      expect([answer.status, answer.body]).toEqual([200, job]);
    }
    expect(await versionsOf(job.id)).toHaveLength(1);
  });

  it('of other members succeeds on a job whose status is free text from the Data API', async () => {
    const job = await create({});
    const documents = service.stores.db.collection<{ _id: string }>('documents');
    await documents.updateOne({ _id: job.id }, { $set: { 'body.status': 'On the way', 'body.activity': 'Bunkering' } });
    const patched = await patch(job.id, { notes: 'kept' });
    expect([patched.status, patched.body.body]).toMatchObject([
      200,
      { status: 'On the way', activity: 'Bunkering', notes: 'kept' },
    ]);
    expect((await patch(job.id, { status: 'On the way' })).status).toBe(200);
    expect((await patch(job.id, { status: 'Off the way' })).body.errors).toMatchObject([{ path: '/body/status' }]);
    expect((await patch(job.id, { status: 'active' })).body.body.status).toBe('active');
    expect((await patch(job.id, { status: 'On the way' })).status).toBe(400);
  });
});

describe('the versions of a document', () => {
  it('are all kept, newest first: number, who, when and body', async () => {
    const job = await create({ notes: 'one' });
    const second = (await patch(job.id, { notes: 'two' }, { as: 'vendor' })).body;
    const third = (await patch(job.id, { notes: null, extra: { a: [1] } })).body;
    const versions = await versionsOf(job.id);
    expect(versions).toEqual(
      [third, second, job].map((entity, index) => ({
        versionId: entity.version_id,
        number: 3 - index,
        modifiedBy: entity.modified_by,
        modifiedAt: entity.modified_at,
        body: entity.body,
      })),
    );
  });
});

describe('previous_version_id', () => {
  it('is the current version, or null if the document was never changed', async () => {
    const job = await create({});
    const first = await patch(job.id, { notes: '1' }, { more: { previous_version_id: null } });
    expect(first.status).toBe(200);
    const second = await patch(
      job.id,
      { notes: '2' },
      { more: { previous_version_id: first.body.version_id.toUpperCase() } },
    );
    expect(second.status).toBe(200);
    const other = await create({});
    expect((await patch(other.id, { notes: '1' }, { more: { previous_version_id: other.version_id } })).status).toBe(
      200,
    );
  });

  it.each(['null', 'the first', 'another'])(
    'is 409 when stale, and the response names the current version: %s',
    async (which) => {
      const job = await create({});
      const current = (await patch(job.id, { notes: '1' })).body;
      const previous_version_id = { null: null, 'the first': job.version_id, another: workspace.id }[which];
      const answer = await patch(job.id, { notes: '2' }, { more: { previous_version_id } });
      expect(answer.body).toMatchObject({ status: 409, code: 'VERSION_CONFLICT' });
      expect(answer.body.detail).toContain(current.version_id);
      expect((await get(job.id)).body).toEqual(current);
    },
  );

  it('is 400 when not a UUID', async () => {
    const job = await create({});
    for (const previous_version_id of ['x', '', 7, {}]) {
      expect((await patch(job.id, { notes: '2' }, { more: { previous_version_id } })).body).toMatchObject({
        status: 400,
        errors: [{ path: '/previous_version_id' }],
      });
    }
  });
});

describe('concurrent changes', () => {
  it('with one previous version: exactly one succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const job = await create({});
      const previous_version_id = round % 2 ? job.version_id : null;
      const answers = await Promise.all(
        [0, 1, 2, 3].map((i) =>
          patch(job.id, { notes: `${i}` }, { more: { previous_version_id }, as: i % 2 ? 'vendor' : 'client' }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      expect(await versionsOf(job.id)).toHaveLength(2);
    }
  });

  it('with one If-Match: one is 200, the other 412', async () => {
    for (let round = 0; round < 10; round++) {
      const job = await create({});
      const headers = { 'If-Match': `"${job.version_id}"` };
      const change = [
        () => patch(job.id, { notes: 'a' }, { headers }),
        () =>
          service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${job.id}`, {
            as: 'vendor',
            body: { notes: 'b' },
            headers,
          }),
      ];
      const answers = await Promise.all(change.map((send) => send()));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    }
  });

  it('without a precondition all succeed, each as its own version', async () => {
    const job = await create({});
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => patch(job.id, { [`field${i}`]: i })));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const { body } = (await get(job.id)).body;
    for (let i = 0; i < 20; i++) expect(body[`field${i}`]).toBe(i);
    const versions = await versionsOf(job.id);
    expect(versions.map(({ number }) => number)).toEqual(Array.from({ length: 21 }, (_, i) => 21 - i));
    expect(new Set(versions.map(({ versionId }) => versionId)).size).toBe(21);
  });

  it('and a deletion: the change comes first, or is 404', async () => {
    for (let round = 0; round < 10; round++) {
      const job = await create({});
      const [changed, removed] = await Promise.all([
        patch(job.id, { notes: 'x' }),
        service.ask('DELETE', pathOf(job.id), { as: 'vendor' }),
      ]);
      expect(removed.status).toBe(200);
      expect([200, 404]).toContain(changed.status);
      expect((await get(job.id)).status).toBe(404);
      expect(
        await service.stores.db
          .collection('versions')
          .countDocuments({ entity: job.id, expires_at: { $exists: false } }),
      ).toBe(0);
    }
  });
});
