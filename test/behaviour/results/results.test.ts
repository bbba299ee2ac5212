import { beforeAll, describe, expect, it } from 'vitest';
import { resultFixture } from './result-fixture.ts';

const QUALITY = 'svc.inspection.qualityResult';
const QUANTITY = 'svc.inspection.quantityResult';

const { documents, listed, newJob, patch, post, service, workspace } = resultFixture();
let job: string;

beforeAll(async () => {
  job = await newJob();
});

const quality = (over: object = {}) => ({
  parent: job,
  status: 'preliminary',
  setNumber: 1,
  sample: { location: 'TK-4' },
  test: { name: 'Density' },
  method: { name: 'ASTM D4052' },
  uom: { name: 'kg/m3' },
  result: '842.1',
  ...over,
});

describe('a quality result', () => {
  it('names its workspace and its job, and holds record ids', async () => {
    const { status, body } = await post(QUALITY, quality());
    expect(status).toBe(201);
    expect(body).toMatchObject({ type: QUALITY, parent_id: job, meta: { workspace: workspace.id } });
    expect(body.body).toMatchObject({
      workspace: workspace.id,
      parent: job,
      result: '842.1',
      test: expect.any(String),
    });
  });

  it('needs the fields of the document form, and names every missing one', async () => {
    const { status, body } = await post(QUALITY, { sample: {} });
    expect(status).toBe(400);
    expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(
      ['method', 'parent', 'result', 'sample/location', 'setNumber', 'status', 'test', 'uom'].map((n) => `/body/${n}`),
    );
  });

  it.each([
    [{ status: 'final' }, '/body/status'],
    [{ setNumber: 1.5 }, '/body/setNumber'],
    [{ setNumber: '1' }, '/body/setNumber'],
    [{ resultOperator: '<' }, '/body/resultOperator'],
    [{ result: 842.1 }, '/body/result'],
    [{ date: 'yesterday' }, '/body/date'],
    [{ testDate: '2026-02-30' }, '/body/testDate'],
    [{ comment: 7 }, '/body/comment'],
    [{ uom: {} }, '/body/uom'],
    [{ sample: { location: 4 } }, '/body/sample/location'],
    [{ isPassed: 'true' }, '/body/isPassed'],
  ])('is refused with %j', async (over, path) => {
    const { status, body } = await post(QUALITY, quality(over));
    expect([status, body.errors?.map((fault: { path: string }) => fault.path)]).toEqual([400, [path]]);
  });

  it('belongs to a job of its workspace', async () => {
    const other = (await post(QUALITY, quality())).body.id;
    for (const parent of [other, workspace.id, '0190a000-0000-7000-8000-000000000000']) {
      const { status, body } = await post(QUALITY, quality({ parent, test: { name: `Never ${parent}` } }));
      expect([status, body.errors[0].path]).toEqual([400, '/body/parent']);
    }
    const { body } = await service.graphql(
      `{ catalogRecords(workspace: "${workspace.id}", catalog: "tests") { nodes { name } } }`,
    );
    expect(JSON.stringify(body)).not.toContain('Never');
  });

  it('keeps a required field through a patch that omits it, and refuses one that removes it', async () => {
    const { id } = (await post(QUALITY, quality())).body;
    expect((await patch(id, { result: '843.0' })).status).toBe(200);
    const removed = await patch(id, { result: null, sample: { location: null } });
    expect([removed.status, removed.body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['/body/sample/location', '/body/result'],
    ]);
  });

  it('is changed by only one of two patches with the same previous version', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, version_id } = (await post(QUALITY, quality())).body;
      const answers = await Promise.all(
        ['1', '2'].map((result) => patch(id, { result }, { previous_version_id: round % 2 ? null : version_id })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('VERSION_CONFLICT');
    }
  });

  it('reports an invalid body before a stale version', async () => {
    const { id } = (await post(QUALITY, quality())).body;
    const answer = await service.ask('PATCH', `${documents()}/${id}`, {
      as: 'vendor',
      body: { body: { status: 'final' }, previous_version_id: workspace.id },
      headers: { 'If-Match': '"stale"' },
    });
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, '/body/status']);
  });
});

describe('a field with two spellings', () => {
  const first = '2026-01-31T08:30:00+01:00';
  const instant = '2026-01-31T07:30:00Z';

  it('comes back under the name that was sent, and filters by both', async () => {
    const own = (await post(QUALITY, quality({ date: first, notes: 'first' }))).body;
    const other = (await post(QUALITY, quality({ testDate: first, comment: 'second' }))).body;
    expect(own.body).toMatchObject({ date: first, notes: 'first' });
    expect(other.body).toMatchObject({ testDate: first, comment: 'second' });
    expect('date' in other.body || 'notes' in other.body).toBe(false);
    for (const name of ['date', 'testDate', 'body.testDate']) {
      expect((await listed(QUALITY, `filter[${name}]=${instant}`)).sort()).toEqual([own.id, other.id].sort());
    }
    for (const name of ['notes', 'comment'])
      expect(await listed(QUALITY, `filter[${name}]=second`)).toEqual([other.id]);
  });

  it('sorts by both names', async () => {
    const late = (await post(QUALITY, quality({ date: '2030-01-01', coaId: 'sort' }))).body.id;
    const early = (await post(QUALITY, quality({ testDate: '2029-12-31T23:00:00Z', coaId: 'sort' }))).body.id;
    for (const name of ['date', 'testDate']) {
      expect(await listed(QUALITY, `filter[coaId]=sort&sort=${name}`)).toEqual([early, late]);
      expect(await listed(QUALITY, `filter[coaId]=sort&sort=body.${name}:desc`)).toEqual([late, early]);
    }
  });

  it('may be given twice with one value, not with two', async () => {
    expect((await post(QUALITY, quality({ notes: 'same', comment: 'same' }))).status).toBe(201);
    const two = await post(
      QUALITY,
      quality({ notes: 'one', comment: 'other', date: '2026-01-01', testDate: '2026-01-02' }),
    );
    expect([two.status, two.body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['/body/date', '/body/notes'],
    ]);
  });

  it('is replaced by a patch that uses the other spelling, and removed under either', async () => {
    const { id } = (await post(QUALITY, quality({ notes: 'old', testDate: first }))).body;
    const { body } = (await patch(id, { comment: 'new', date: '2026-03-01' })).body;
    expect([body.notes, body.comment, body.testDate, body.date]).toEqual([undefined, 'new', undefined, '2026-03-01']);
    const removed = (await patch(id, { notes: null })).body.body;
    expect('notes' in removed || 'comment' in removed).toBe(false);
  });

  it.each([
    [{ date: '2026-03-02' }, { date: '2026-03-02', testDate: '2026-04-01' }, '/body/date'],
    [{ testDate: '2026-03-02' }, { date: '2026-04-01', testDate: '2026-03-02' }, '/body/date'],
    [{ notes: 'n' }, { notes: 'n', comment: 'other' }, '/body/notes'],
    [{ comment: 'n' }, { notes: 'other', comment: 'n' }, '/body/notes'],
  ])('has one value in a patch too, whatever is stored: %j, then %j', async (sent, change, path) => {
    const { id } = (await post(QUALITY, quality(sent))).body;
    const { status, body } = await patch(id, change);
    expect([status, body.errors?.map((fault: { path: string }) => fault.path)]).toEqual([400, [path]]);
  });

  it('stored with two values by an earlier version does not block other changes', async () => {
    const { id } = (await post(QUALITY, quality({ notes: 'one' }))).body;
    const stored = service.stores.db.collection<{ _id: string }>('documents');
    await stored.updateOne({ _id: id }, { $set: { 'body.comment': 'two' } });
    const kept = await patch(id, { setNumber: 7 });
    expect([kept.status, kept.body.body]).toMatchObject([200, { notes: 'one', comment: 'two', setNumber: 7 }]);
    expect((await patch(id, { notes: 'three', comment: 'two' })).status).toBe(400);
    const settled = await patch(id, { comment: 'two' });
    expect([settled.status, settled.body.body.notes]).toEqual([200, undefined]);
  });

  it('may be a catalog reference', async () => {
    const table = { name: 'Table 54B', xref: 'T54B' };
    const parent = await newJob();
    const own = (await post(QUANTITY, { parent, direction: 'source', vcfTable: table })).body;
    const other = (await post(QUANTITY, { parent, direction: 'destination', vcftable: table })).body;
    expect(other.body.vcftable).toBe(own.body.vcfTable);
    for (const name of ['vcfTable', 'vcftable']) {
      for (const filter of [`${name}=${own.body.vcfTable}`, `${name}.name=Table 54B`, `${name}.xref=T54B`]) {
        const query = filter.replace(/^(.*?)=/, 'filter[$1]=');
        expect((await listed(QUANTITY, query)).sort()).toEqual([own.id, other.id].sort());
      }
    }
    const patched = (await patch(own.id, { vcftable: { name: 'Table 6B' } })).body.body;
    expect([patched.vcfTable, patched.vcftable]).toEqual([undefined, expect.not.stringMatching(own.body.vcfTable)]);
  });

  it('has one name in GraphQL', async () => {
    const parent = await newJob();
    await post(QUALITY, quality({ parent, testDate: first, comment: 'seen' }));
    await post(QUANTITY, { parent, vcftable: { name: 'Table 54B' } });
    const { body } = await service.graphql(
      `query Job($id: UUID!) { job(id: $id) {
        qualityResults { date notes test { name } sample { location } setNumber job { id } }
        quantityResults { vcfTable { name } }
      } }`,
      { id: parent },
    );
    expect(body.data.job).toEqual({
      qualityResults: [
        {
          date: first,
          notes: 'seen',
          test: { name: 'Density' },
          sample: { location: 'TK-4' },
          setNumber: 1,
          job: { id: parent },
        },
      ],
      quantityResults: [{ vcfTable: { name: 'Table 54B' } }],
    });
  });
});

describe('references inside a body', () => {
  it('are found at any depth, also by filters', async () => {
    const parent = await newJob();
    const { id, body } = (
      await post(QUANTITY, {
        parent,
        measurements: [
          { name: 'GSV', uom: { name: 'BBL' }, value: 1 },
          { name: 'TCV', uom: { name: 'bbl ' } },
        ],
        meanTemp: { value: 15.5, uom: { name: 'degC' } },
      })
    ).body;
    expect(body.measurements[0].uom).toBe(body.measurements[1].uom);
    expect(body.measurements[0].uom).toMatch(/^[0-9a-f-]{36}$/);
    expect(await listed(QUANTITY, `filter[measurements.uom.name]=BBL`)).toEqual([id]);
    expect(await listed(QUANTITY, `filter[meanTemp.uom]=${body.meanTemp.uom}&filter[meanTemp.value]=15.50`)).toEqual([
      id,
    ]);
    const answer = await service.graphql(
      `query Q($id: UUID!) { quantityResult(id: $id) { meanTemp { value uom { name } } measurements { name value uom { name } } } }`,
      { id },
    );
    expect(answer.body.data.quantityResult).toEqual({
      meanTemp: { value: 15.5, uom: { name: 'degC' } },
      measurements: [
        { name: 'GSV', value: 1, uom: { name: 'BBL' } },
        { name: 'TCV', value: null, uom: { name: 'BBL' } },
      ],
    });
  });
});
