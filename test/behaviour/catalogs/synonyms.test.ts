import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let base: string;

beforeAll(async () => {
  base = `/v2/workspaces/${workspace.id}`;
});

const as = 'vendor';
const record = async (xtype: string, name: string) =>
  (await service.ask('POST', `${base}/xrefs/${xtype}`, { as, body: { name } })).body.id as string;
const records = (xtype: string, ...names: string[]) => Promise.all(names.map((name) => record(xtype, name)));
const link = (xtype: string, a: string, b: string, who: Ask['as'] = as) =>
  service.ask('POST', `${base}/xrefs/${xtype}/${a}/synonyms/${b}`, { as: who });
const unlink = (xtype: string, a: string, b: string) =>
  service.ask('DELETE', `${base}/xrefs/${xtype}/${a}/synonyms/${b}`, { as });
const listed = async (path: string) => (await service.ask('GET', `${base}/${path}`, { as: 'client' })).body;
const ids = (list: { id: string }[]) => list.map(({ id }) => id).sort();

describe('a synonym', () => {
  it('is created once, whichever record is named first', async () => {
    const [a, b] = (await records('locations', 'Rotterdam', 'NLRTM')) as [string, string];
    const made = await link('locations', a, b);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      type: 'svc.bridge.synonym',
      meta: { workspace: workspace.id },
      body: { workspace: workspace.id, baseItem: a, linkedItem: b },
    });
    for (const again of [await link('locations', a, b), await link('locations', b, a, 'client')]) {
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([
        200,
        made.body,
        `"${made.body.version_id}"`,
      ]);
    }
    for (const one of [a, b]) expect(ids(await listed(`xrefs/locations/${one}/synonyms`))).toEqual([made.body.id]);
  });

  it('is created once by twenty requests at once, in both directions', async () => {
    const [a, b] = (await records('locations', 'Antwerp', 'BEANR')) as [string, string];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? link('locations', a, b) : link('locations', b, a))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('is listed by workspace, by catalog and by record', async () => {
    const [a, b, c] = (await records('uom', 'MT', 't', 'tonne')) as [string, string, string];
    const [m, n] = (await records('methods', 'D86', 'ISO 3405')) as [string, string];
    const made = [await link('uom', a, b), await link('uom', c, a), await link('methods', m, n)].map(
      ({ body }) => body.id,
    );
    expect(ids(await listed('synonyms?xtype=uom'))).toEqual(made.slice(0, 2).sort());
    expect(ids(await listed('synonyms?xtype=methods'))).toEqual([made[2]]);
    expect(ids(await listed('synonyms?xtype=testMethods'))).toEqual([made[2]]);
    expect(await listed('synonyms?xtype=never-used')).toEqual([]);
    expect(ids(await listed('synonyms?xtype=uom&xtype=methods'))).toEqual([...made].sort());
    expect(ids(await listed('synonyms?xtype=never-used&xtype=methods&xtype='))).toEqual([made[2]]);
    for (const name of ['a%20b', '..', '%22$', 'uom&xtype=a%20b']) {
      expect(await listed(`synonyms?xtype=${name}`)).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        errors: [
          { parameter: 'xtype', message: 'is the name of no catalog: names consist of letters, digits, _, - and .' },
        ],
      });
    }
    expect(await listed('synonyms?xtype=nothing')).toEqual([]);
    expect(await listed('synonyms?xtype=')).toEqual([]);
    expect((await listed(`synonyms?xtype=uom&xtype=${'x'.repeat(40_000)}`)).errors).toMatchObject([
      { parameter: 'xtype' },
    ]);
    expect(ids(await listed('synonyms?limit=100'))).toEqual(expect.arrayContaining(made));
    expect(ids(await listed(`synonyms?filter[baseItem]=${c}`))).toEqual([made[1]]);
    expect(ids(await listed(`xrefs/uom/${a}/synonyms`))).toEqual(made.slice(0, 2).sort());
    expect(ids(await listed(`xrefs/uom/${b}/synonyms`))).toEqual([made[0]]);
    expect(await listed(`xrefs/uom/${a}/synonyms?limit=1&offset=1`)).toHaveLength(1);
  });

  it('never links a record to itself', async () => {
    const a = await record('tests', 'Density');
    const answer = await link('tests', a, a);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(answer.body.errors[0].parameter).toBe('linked_item_id');
  });

  it('links only records of one workspace and one catalog', async () => {
    const other = await makeWorkspace(service);
    const elsewhere = (
      await service.ask('POST', `/v2/workspaces/${other.id}/xrefs/tests`, { as, body: { name: 'Water' } })
    ).body.id;
    const [a, product] = [await record('tests', 'Water'), await record('products', 'Water')];
    for (const b of [elsewhere, product, '0190a000-0000-7000-8000-000000000000', 'x']) {
      expect((await link('tests', a, b)).status).toBe(404);
      expect((await link('tests', b, a)).status).toBe(404);
      expect((await unlink('tests', a, b)).status).toBe(404);
    }
    expect((await link('products', a, product)).status).toBe(404);
    expect((await service.ask('GET', `${base}/xrefs/tests/${product}/synonyms`, { as })).status).toBe(404);
  });

  it('is removed in either order, and may be created again', async () => {
    const [a, b] = (await records('tests', 'Sulphur', 'Sulfur')) as [string, string];
    const made = await link('tests', a, b);
    const removed = await unlink('tests', b, a);
    expect([removed.status, removed.body]).toEqual([200, made.body]);
    expect((await unlink('tests', a, b)).status).toBe(404);
    expect((await link('tests', b, a)).status).toBe(201);
  });

  it('is deleted with either of its records, and with the workspace', async () => {
    const other = await makeWorkspace(service);
    const path = `/v2/workspaces/${other.id}/xrefs/tests`;
    const made = await Promise.all(
      ['1', '2', '3'].map(async (name) => (await service.ask('POST', path, { as, body: { name } })).body.id),
    );
    const [a, b, c] = made;
    for (const [x, y] of [
      [a, b],
      [b, c],
      [a, c],
    ])
      await service.ask('POST', `${path}/${x}/synonyms/${y}`, { as });
    expect((await service.ask('DELETE', `${path}/${a}`, { as })).status).toBe(200);
    const left = () => service.stores.db.collection('synonyms').countDocuments({ workspace: other.id });
    expect(await left()).toBe(1);
    expect((await service.ask('DELETE', `/v2/workspaces/${other.id}`, { as })).status).toBe(200);
    expect(await left()).toBe(0);
  });

  it('is not left behind by a record deleted while it is created', async () => {
    for (let round = 0; round < 15; round++) {
      const [a, b] = (await records('vcfTable', `A${round}`, `B${round}`)) as [string, string];
      const [made, gone] = await Promise.all([
        link('vcfTable', a, b),
        service.ask('DELETE', `${base}/xrefs/vcfTable/${b}`, { as }),
      ]);
      expect(gone.status).toBe(200);
      expect([201, 404]).toContain(made.status);
      expect(await service.stores.db.collection('synonyms').countDocuments({ items: b })).toBe(0);
    }
  });
});

describe('the synonyms of a record in GraphQL', () => {
  const ask = async (xtype: string, fields: string) => {
    const { body } = await service.graphql(
      `{ catalogRecords(workspace: "${workspace.id}", catalog: "${xtype}", first: 100, orderBy: [{field: "name"}]) { nodes { name ${fields} } } }`,
    );
    return body.data.catalogRecords.nodes;
  };
  const names = (list: { name: string }[]) => list.map(({ name }) => name).sort();

  it('are those linked to it directly, and the group is all that are connected', async () => {
    const [a, b, c, d] = (await records('vessels', 'A', 'B', 'C', 'D', 'E')) as [string, string, string, string];
    await link('vessels', a, b);
    await link('vessels', c, b);
    await link('vessels', c, d);
    await link('vessels', d, a);
    const nodes = await ask('vessels', 'synonyms { name } synonymGroup { name }');
    expect(nodes.map((each: { synonyms: { name: string }[] }) => names(each.synonyms))).toEqual([
      ['B', 'D'],
      ['A', 'C'],
      ['B', 'D'],
      ['A', 'C'],
      [],
    ]);
    const group = ['A', 'B', 'C', 'D'];
    expect(nodes.map((each: { synonymGroup: { name: string }[] }) => names(each.synonymGroup))).toEqual([
      group,
      group,
      group,
      group,
      ['E'],
    ]);
  });

  it('can be linked and unlinked', async () => {
    const [a, b] = (await records('grades', 'Grade A', 'Grade B')) as [string, string];
    const place = { w: workspace.id, a, b };
    const variables = '($w: UUID!, $a: UUID!, $b: UUID!)';
    const args = '(workspace: $w, catalog: "grades", record: $a, synonym: $b)';
    const fields = '{ baseItem { name } linkedItem { name } catalog versions { number } }';
    const link = await service.graphql(
      `mutation L${variables} { linkSynonyms${args} { created synonym ${fields} } }`,
      place,
    );
    const expected = {
      baseItem: { name: 'Grade A' },
      linkedItem: { name: 'Grade B' },
      catalog: 'grades',
      versions: [{ number: 1 }],
    };
    expect(link.body.data.linkSynonyms).toEqual({ created: true, synonym: expected });
    const query = await service.graphql(`query S${variables} { synonym${args} ${fields} }`, { ...place, a: b, b: a });
    expect(query.body.data.synonym).toEqual(expected);
    const unlinked = await service.graphql(`mutation U${variables} { unlinkSynonyms${args} ${fields} }`, place);
    expect(unlinked.body.data.unlinkSynonyms.baseItem).toEqual({ name: 'Grade A' });
    const none = await service.graphql(`query S${variables} { synonym${args} { id } }`, place);
    expect(none.body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});
