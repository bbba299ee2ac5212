import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const JOB = 'svc.inspection.job';
const QUALITY = 'svc.inspection.qualityResult';
const QUANTITY = 'svc.inspection.quantityResult';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let documents: string;

beforeAll(async () => {
  documents = `/v2/workspaces/${workspace.id}/documents`;
});

const bulk = (type: string, body: unknown, headers = {}): Promise<Answer> =>
  service.ask('POST', `${documents}/bulk`, { as: 'vendor', body: { type, body }, headers });
const newJob = async () =>
  (await service.ask('POST', documents, { as: 'client', body: { type: JOB, body: {} } })).body.id as string;
const count = (filter: object) => service.stores.db.collection('documents').countDocuments(filter);
const records = (filter: object) => service.stores.db.collection('catalog_records').countDocuments(filter);

describe('a bulk of documents', () => {
  it('returns envelopes in the order of the request', async () => {
    const bodies = Array.from({ length: 300 }, (_, i) => ({ refNumber: `ORDER-${i}`, kept: { unknown: i } }));
    const { status, body } = await bulk(JOB, bodies);
    expect(status).toBe(201);
    expect(body.map((each: { body: { refNumber: string } }) => each.body.refNumber)).toEqual(
      bodies.map((b) => b.refNumber),
    );
    expect(body[7]).toMatchObject({ type: JOB, meta: { workspace: workspace.id }, body: { kept: { unknown: 7 } } });
    const read = await service.ask('GET', `${documents}/${body[7].id}`, { as: 'client' });
    expect(read.body).toEqual(body[7]);
  });

  it('creates one record for a vessel named many times, in one transaction with the documents', async () => {
    const bodies = Array.from({ length: 500 }, (_, i) => ({
      transports: [{ name: i % 2 ? `MV Bulk ${i % 50}` : ` mv bulk ${i % 50} ` }],
      location: { name: 'Bulk Harbour' },
    }));
    const { status, body } = await bulk(JOB, bodies);
    expect(status).toBe(201);
    expect(new Set(body.map((each: { body: { transports: string[] } }) => each.body.transports[0])).size).toBe(50);
    expect(await records({ xtype: 'transports', name_key: /^mv bulk/ })).toBe(50);
    expect(await records({ xtype: 'locations', name_key: 'bulk harbour' })).toBe(1);
  });

  it('creates one record for a vessel that several bulks and creations name at once', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () =>
        bulk(
          JOB,
          Array.from({ length: 40 }, () => ({ transports: [{ name: 'MV Crowd' }] })),
        ),
      ),
      ...Array.from({ length: 10 }, () =>
        service.ask('POST', documents, {
          as: 'client',
          body: { type: JOB, body: { transports: [{ name: 'mv crowd' }] } },
        }),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(14).fill(201));
    expect(await records({ name_key: 'mv crowd' })).toBe(1);
  });

  it('changes nothing when one of 5,000 has a fault, and names the index', async () => {
    const parent = await newJob();
    const good = (result: unknown) => ({
      parent,
      status: 'confirmed',
      setNumber: 1,
      sample: { location: 'TK-1' },
      test: { name: 'Never made' },
      method: { name: 'Never made' },
      uom: { name: 'Never made' },
      result,
    });
    const bodies = Array.from({ length: 5_000 }, (_, i) => good(i === 4_321 ? 7 : '7'));
    const { status, body } = await bulk(QUALITY, bodies);
    expect([status, body.errors]).toEqual([400, [{ path: '/body/4321/result', message: expect.any(String) }]]);
    expect(await count({ parent_id: parent })).toBe(0);
    expect(await records({ name_key: 'never made' })).toBe(0);
  });

  it('names every fault of every body', async () => {
    const { status, body } = await bulk(JOB, [{ status: 'late' }, {}, { eta: 'x', transports: [{}, null] }]);
    expect([status, body.errors.map(({ path }: { path: string }) => path).sort()]).toEqual([
      400,
      ['/body/0/status', '/body/2/eta', '/body/2/transports/0', '/body/2/transports/1'].sort(),
    ]);
  });

  it('describes the first faults in words, lists a hundred, and counts the others found', async () => {
    const { status, body } = await bulk(JOB, Array(300).fill({ status: 'late' }));
    expect([status, body.errors.length, body.errors[99].path]).toEqual([400, 100, '/body/99/status']);
    expect(body.errorsOmitted).toBe(200);
    expect(body.detail).toMatch(/And 280 more\.$/);
  });

  it('stops looking for faults when there are very many', async () => {
    const { body } = await bulk(JOB, Array(9_000).fill({ status: 'late' }));
    expect([body.errors.length, body.errorsOmitted]).toEqual([100, 900]);
  });

  it('leaves no record behind when a reference or a parent does not exist', async () => {
    const unknown = '0190a000-0000-7000-8000-000000000000';
    for (const [body, path] of [
      [{ location: unknown }, '/body/1/location'],
      [{ parent: unknown }, '/body/1/parent'],
    ] as const) {
      const answer = await bulk(JOB, [{ location: { name: 'Left Behind' } }, body]);
      expect([answer.status, answer.body.errors[0].path]).toEqual([400, path]);
    }
    expect(await records({ name_key: 'left behind' })).toBe(0);
  });

  it.each([
    ['nothing', [], '/body'],
    ['too many', Array.from({ length: 10_001 }, () => ({})), '/body'],
    ['what is no array', {}, '/body'],
    ['what is no object', [{}, null, 7], '/body/1'],
  ])('of %s is refused', async (_, body, path) => {
    const answer = await bulk(JOB, body);
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, path]);
  });

  it('of an unknown type, or without one, is refused at the member type', async () => {
    const unknown = await bulk('svc.inspection.nothing', [{}]);
    expect([unknown.status, unknown.body.errors[0].path]).toEqual([400, '/type']);
    expect(unknown.body.detail).toContain('svc.inspection.qualityResult');
    expect((await service.ask('POST', `${documents}/bulk`, { as: 'vendor', body: { body: [{}] } })).status).toBe(400);
  });

  it('with a duplicate direction is refused, whether within the bulk or with an earlier result', async () => {
    const parent = await newJob();
    const twice = await bulk(QUANTITY, [{ parent, direction: 'source' }, { parent }, { parent, direction: 'source' }]);
    expect([twice.status, twice.body.code, twice.body.errors[0].path]).toEqual([409, 'DUPLICATE_DIRECTION', '/body/2']);
    expect(await count({ parent_id: parent })).toBe(0);
    expect((await bulk(QUANTITY, [{ parent, direction: 'source' }, { parent }, { parent }])).status).toBe(201);
    const again = await bulk(QUANTITY, [
      { parent, direction: 'destination' },
      { parent, direction: 'source' },
    ]);
    expect([again.status, again.body.code, again.body.errors[0].path]).toEqual([409, 'DUPLICATE_DIRECTION', '/body/1']);
    expect(await count({ parent_id: parent })).toBe(3);
  });

  it('is visible completely or not at all', async () => {
    const parent = await newJob();
    let done = false;
    const before = count({ parent_id: parent }); // sent before the bulk, and so answered before its end
    const writing = bulk(
      QUANTITY,
      Array.from({ length: 3_000 }, () => ({ parent })),
    ).finally(() => {
      done = true;
    });
    const seen = new Set([await before]);
    while (!done) seen.add(await count({ parent_id: parent }));
    expect((await writing).status).toBe(201);
    seen.add(await count({ parent_id: parent }));
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 3_000]);
  });

  it('accepts 10,000 jobs', async () => {
    const bodies = Array.from({ length: 10_000 }, (_, i) => ({ refNumber: `TEN-${i}`, notes: 'x'.repeat(500) }));
    const { status, body } = await bulk(JOB, bodies);
    expect([status, body.length, body[9_999].body.refNumber]).toEqual([201, 10_000, 'TEN-9999']);
  });

  it.each([
    ['long texts', 'x'.repeat(25_000), 1_000],
    ['long lists of numbers, which take seven times as much in MongoDB', Array(1_200_000).fill(1), 2],
  ])('too large for one MongoDB command is created whole: %s', async (_what, kept, many) => {
    const bodies = Array.from({ length: many }, (_, i) => ({ refNumber: `LARGE-${i}`, kept }));
    const before = await count({ 'body.refNumber': /^LARGE-/ });
    const { status, body } = await bulk(JOB, bodies);
    expect(status).toBe(201);
    expect(body).toHaveLength(many);
    expect(await count({ 'body.refNumber': /^LARGE-/ })).toBe(before + many);
  });

  it('runs once under one Idempotency-Key', async () => {
    const bodies = Array.from({ length: 20 }, () => ({ refNumber: 'ONCE' }));
    const answers = [];
    for (let i = 0; i < 2; i++) answers.push(await bulk(JOB, bodies, { 'Idempotency-Key': 'bulk-once' }));
    expect(answers.map(({ text }) => text)).toEqual(Array(2).fill(answers[0]?.text));
    expect(await count({ 'body.refNumber': 'ONCE' })).toBe(20);
  });

  it('never leaves a document behind in a workspace, or below a job, deleted at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const other = await makeWorkspace(service, `going ${round}`);
      const [made, gone] = await Promise.all([
        service.ask('POST', `/v2/workspaces/${other.id}/documents/bulk`, {
          as: 'client',
          body: { type: JOB, body: Array.from({ length: 50 }, () => ({})) },
        }),
        service.ask('DELETE', `/v2/workspaces/${other.id}`, { as: 'vendor' }),
      ]);
      expect([
        [201, 409],
        [409, 200],
        [404, 200],
      ]).toContainEqual([made.status, gone.status]);
      expect(await count({ workspace: other.id })).toBe(made.status === 201 ? 50 : 0);

      const parent = await newJob();
      const [below, removed] = await Promise.all([
        bulk(
          QUANTITY,
          Array.from({ length: 50 }, () => ({ parent })),
        ),
        service.ask('DELETE', `${documents}/${parent}`, { as: 'client' }),
      ]);
      expect([below.status === 201 || below.status === 400, removed.status]).toEqual([true, 200]);
      expect(await count({ parent_id: parent })).toBe(0);
    }
  });

  it('is a GraphQL mutation', async () => {
    const { body } = await service.graphql(
      `mutation Bulk($w: UUID!, $b: [DocumentBody!]!) { createDocuments(workspace: $w, type: "${JOB}", bodies: $b) { ... on Job { refNumber } } }`,
      { w: workspace.id, b: [{ refNumber: 'A' }, { refNumber: 'B' }] },
    );
    expect(body.data.createDocuments).toEqual([{ refNumber: 'A' }, { refNumber: 'B' }]);
  });
});
