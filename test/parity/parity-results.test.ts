import { describe, expect, it } from 'vitest';
import { KINDS, type Kind } from '../rest-compat/legacy/result-kinds.ts';
import { type Answer, serviceFixture, workspaceFixture } from '../service.ts';

/** Any body content. */
type Body = Readonly<Record<string, unknown>>;

interface Row {
  readonly id: string;
  readonly body: Body;
}

/** One of the ways to the same entities. */
interface Way {
  create(body: object): Promise<Row>;
  read(id: string): Promise<Body>;
  change(id: string, patch: object): Promise<Body>;
  list(): Promise<Row[]>;
  remove(id: string): Promise<Body>;
}

const service = serviceFixture();
const workspace = workspaceFixture(service);

const good = ({ status, body, text }: Answer) => {
  if (status >= 300 || body.errors) throw new Error(text);
  return body;
};
const legacy = async (method: string, path: string, body?: object) =>
  good(await service.ask(method, `/workspaces/${workspace.id}${path}`, { as: 'vendor', body }));
const v2 = async (method: string, path: string, body?: object) =>
  good(await service.ask(method, `/v2/workspaces/${workspace.id}${path}`, { as: 'vendor', body }));
const graphql = async (query: string, variables: object) => {
  const { data } = good(await service.graphql(query, { w: workspace.id, ...variables }, 'vendor'));
  return Object.values(data)[0] as Row & { nodes: Row[] };
};
const rowOf = ({ id, body }: Row): Row => ({ id, body });
const newJob = async () => (await legacy('POST', '/jobs', {})).id as string;

const NAMES = ['legacy', 'v2', 'graphql'] as const;
type Ways = Readonly<Record<(typeof NAMES)[number], Way>>;

/** The ways to a job's reports of one kind. */
function waysTo({ path, type, name }: Kind, job: string): Ways {
  const here = `/jobs/${job}/${path}`;
  const one = name.charAt(0).toLowerCase() + name.slice(1);
  const place = 'workspace: $w, job: $j';
  const head = '$w: UUID!, $j: UUID!';
  const ask = (query: string, variables: object = {}) => graphql(query, { j: job, ...variables });
  return {
    legacy: {
      create: (body) => legacy('POST', here, body),
      read: (id) => legacy('GET', `${here}/${id}`),
      change: (id, patch) => legacy('PATCH', `${here}/${id}`, patch),
      list: () => legacy('GET', here),
      remove: (id) => legacy('DELETE', `${here}/${id}`),
    },
    v2: {
      create: async (body) => rowOf(await v2('POST', '/documents', { type, body: { parent: job, ...body } })),
      read: async (id) => (await v2('GET', `/documents/${id}`)).body,
      change: async (id, patch) => (await v2('PATCH', `/documents/${id}`, { body: patch })).body,
      list: async () => (await v2('GET', `/documents?type=${type}&filter[parent]=${job}`)).map(rowOf),
      remove: async (id) => (await v2('DELETE', `/documents/${id}`)).body,
    },
    graphql: {
      create: (b) =>
        ask(`mutation C(${head}, $b: ${name}Body!) { create${name}(${place}, body: $b) { id body } }`, { b }),
      read: async (i) => (await ask(`query R(${head}, $i: UUID!) { ${one}(${place}, id: $i) { body } }`, { i })).body,
      change: async (i, p) =>
        (
          await ask(
            `mutation U(${head}, $i: UUID!, $p: ${name}Patch!) { update${name}(${place}, id: $i, patch: $p) { body } }`,
            { i, p },
          )
        ).body,
      list: async () => (await ask(`query L(${head}) { ${one}s(${place}) { nodes { id body } } }`)).nodes,
      remove: async (i) =>
        (await ask(`mutation D(${head}, $i: UUID!) { delete${name}(${place}, id: $i) { body } }`, { i })).body,
    },
  };
}

/** The ways to a catalog's records; v2 and GraphQL also show an item's owner and position. */
function waysToCatalog(catalog: string): Ways {
  const item = ({ workspace: _workspace, xtype: _xtype, ownerParty: _ownerParty, ...said }: Body): Body => said;
  const itemRow = ({ id, body }: Row): Row => ({ id, body: item(body) });
  const ask = (query: string, variables: object = {}) => graphql(query, { c: catalog, ...variables });
  const head = '$w: UUID!, $c: String!';
  const place = 'workspace: $w, catalog: $c';
  const [old, now] = [`/catalogs/${catalog}`, `/xrefs/${catalog}`];
  return {
    legacy: {
      create: (body) => legacy('POST', old, body),
      read: (id) => legacy('GET', `${old}/${id}`),
      change: (id, patch) => legacy('PATCH', `${old}/${id}`, patch),
      list: () => legacy('GET', old),
      remove: (id) => legacy('DELETE', `${old}/${id}`),
    },
    v2: {
      create: async (body) => itemRow(await v2('POST', now, body)),
      read: async (id) => item((await v2('GET', `${now}/${id}`)).body),
      change: async (id, patch) => item((await v2('PATCH', `${now}/${id}`, { body: patch })).body),
      list: async () => (await v2('GET', now)).map(itemRow),
      remove: async (id) => item((await v2('DELETE', `${now}/${id}`)).body),
    },
    graphql: {
      create: async (b) =>
        itemRow(
          await ask(
            `mutation C(${head}, $b: CatalogRecordBody!) { createCatalogRecord(${place}, body: $b) { id body } }`,
            {
              b,
            },
          ),
        ),
      read: async (i) =>
        item((await ask(`query R(${head}, $i: UUID!) { catalogRecord(${place}, id: $i) { body } }`, { i })).body),
      change: async (i, p) =>
        item(
          (
            await ask(
              `mutation U(${head}, $i: UUID!, $p: CatalogRecordPatch!) { updateCatalogRecord(${place}, id: $i, patch: $p) { body } }`,
              { i, p },
            )
          ).body,
        ),
      list: async () =>
        (await ask(`query L(${head}) { catalogRecords(${place}) { nodes { id body } } }`)).nodes.map(itemRow),
      remove: async (i) =>
        item(
          (await ask(`mutation D(${head}, $i: UUID!) { deleteCatalogRecord(${place}, id: $i) { body } }`, { i })).body,
        ),
    },
  };
}

interface Subject {
  readonly what: string;
  readonly body: Body;
  /** A patch every way accepts, and what it sets. */
  patchBy(way: string): { readonly patch: Body; readonly sets: Body };
  ways(): Promise<Ways>;
}

const ownMembers: Subject['patchBy'] = (way) => ({
  patch: { by: way, own: { x: [way], gone: null } },
  sets: { by: way, own: { x: [way] } },
});

let catalogs = 0;
const SUBJECTS: readonly Subject[] = [
  ...KINDS.map((kind) => ({
    what: kind.path,
    body: kind.body,
    patchBy: ownMembers,
    ways: async () => waysTo(kind, await newJob()),
  })),
  {
    what: 'catalogs',
    body: { name: 'MV Parity', xref: 'P-1', imo: '9074729', flag: { code: 'NL', since: null } },
    // The Workspace API changes only names and xrefs (contract §13).
    patchBy: (way) => ({ patch: { name: way, xref: null }, sets: { name: way } }),
    // A separate catalog per test, so that lists hold what the test created.
    ways: async () => waysToCatalog(['products', 'clients', 'vendors'][catalogs++] ?? ''),
  },
];
const CASES = SUBJECTS.flatMap((subject) => NAMES.map((writer) => ({ ...subject, writer })));

describe.each(CASES)('$what written by $writer', ({ body, writer, patchBy, ways: open }) => {
  it('is read, changed and deleted alike by every other way', async () => {
    const ways = await open();
    const made = await ways[writer].create(body);
    for (const name of Object.keys(body)) expect(made.body, name).toHaveProperty(name);
    await expectEverywhere(ways, made);
    for (const changer of NAMES) {
      const { patch, sets } = patchBy(changer);
      const changed = await ways[changer].change(made.id, patch);
      const { xref, ...others } = made.body;
      expect(changed).toEqual({ ...others, ...(!('xref' in patch) && xref !== undefined && { xref }), ...sets });
      await expectEverywhere(ways, { id: made.id, body: changed });
    }
    let last = { id: made.id, body: await ways[writer].read(made.id) };
    for (const remover of NAMES) {
      const { id } = last;
      expect(await ways[remover].remove(id)).toEqual(last.body);
      for (const reader of NAMES) {
        await expect(ways[reader].read(id), reader).rejects.toThrow('NOT_FOUND');
        expect([reader, await ways[reader].list()]).toEqual([reader, []]);
      }
      last = await ways[writer].create(body);
    }
  });
});

async function expectEverywhere(ways: Ways, { id, body }: Row): Promise<void> {
  for (const reader of NAMES) {
    expect([reader, await ways[reader].read(id)]).toEqual([reader, body]);
    expect([reader, await ways[reader].list()]).toEqual([reader, [{ id, body }]]);
  }
}

describe('the same body, written by every way', () => {
  it.each(KINDS)('gives the same $path', async (kind) => {
    const made = await Promise.all(
      NAMES.map(async (name) => {
        const job = await newJob();
        const { parent, ...rest } = (await waysTo(kind, job)[name].create(kind.body)).body;
        expect(parent).toBe(job);
        return rest;
      }),
    );
    for (const each of made) expect(each).toEqual(made[0]);
  });
});

describe('a synonym', () => {
  const records = async () => [await record(), await record()] as const;
  let count = 0;
  const record = async () => (await legacy('POST', '/catalogs/tests', { name: `Test ${count++}` })).id as string;
  const pair = 'workspace: $w, catalog: "tests", record: $a, synonym: $b';
  const link = {
    legacy: (a: string, b: string) => legacy('POST', `/catalogs/tests/${a}/synonyms/${b}`),
    v2: (a: string, b: string) => v2('POST', `/xrefs/tests/${a}/synonyms/${b}`),
    graphql: async (a: string, b: string) => {
      const query = `mutation L($w: UUID!, $a: UUID!, $b: UUID!) { linkSynonyms(${pair}) { synonym { id body } } }`;
      return ((await graphql(query, { a, b })) as unknown as { synonym: Row }).synonym;
    },
  };
  const unlink = {
    legacy: (a: string, b: string) => legacy('DELETE', `/catalogs/tests/${a}/synonyms/${b}`),
    v2: (a: string, b: string) => v2('DELETE', `/xrefs/tests/${a}/synonyms/${b}`),
    graphql: (a: string, b: string) =>
      graphql(`mutation U($w: UUID!, $a: UUID!, $b: UUID!) { unlinkSynonyms(${pair}) { id } }`, { a, b }),
  };
  const linkedTo = async (a: string) => {
    const synonyms: Row[] = await v2('GET', `/xrefs/tests/${a}/synonyms`);
    const query = 'query S($w: UUID!, $a: UUID!) { catalogRecord(workspace: $w, id: $a) { synonyms { id } } }';
    const { synonyms: nodes } = (await graphql(query, { a })) as unknown as { synonyms: Row[] };
    const other = ({ body }: Row) => (body.baseItem === a ? body.linkedItem : body.baseItem);
    return {
      legacy: await legacy('GET', `/catalogs/tests/${a}/synonyms`),
      v2: synonyms.map(other),
      graphql: nodes.map(({ id }) => id),
    };
  };

  it.each(NAMES)('linked by %s is seen, and unlinked, by every other way', async (writer) => {
    for (const remover of NAMES) {
      const [a, b] = await records();
      const { id, body } = await link[writer](a, b);
      expect(body).toEqual({ workspace: workspace.id, baseItem: a, linkedItem: b });
      for (const name of NAMES) expect(rowOf(await link[name](b, a))).toEqual({ id, body });
      expect(await linkedTo(a)).toEqual({ legacy: [b], v2: [b], graphql: [b] });
      expect(await linkedTo(b)).toEqual({ legacy: [a], v2: [a], graphql: [a] });
      await unlink[remover](b, a);
      for (const one of [a, b]) expect(await linkedTo(one)).toEqual({ legacy: [], v2: [], graphql: [] });
    }
  });
});
