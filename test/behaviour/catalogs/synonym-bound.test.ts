import { beforeAll, describe, expect, it } from 'vitest';
import { MOST_LINKS, MOST_SYNONYMS } from '../../../src/domain/catalogs/synonym-bound.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { allPairs, chained, newIds, type Pair, putLinks } from './stored-links.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const as = 'vendor';
let xrefs: string;
beforeAll(() => {
  xrefs = `/v2/workspaces/${workspace.id}/xrefs`;
});

const records = (xtype: string, ...names: string[]): Promise<string[]> =>
  Promise.all(
    names.map(async (name) => (await service.ask('POST', `${xrefs}/${xtype}`, { as, body: { name } })).body.id),
  );
const link = (xtype: string, a = '', b = '') => service.ask('POST', `${xrefs}/${xtype}/${a}/synonyms/${b}`, { as });
const count = (xtype: string) =>
  service.stores.db.collection('synonyms').countDocuments({ workspace: workspace.id, xtype });

/** A catalog with two linked records, and further links stored beside theirs. */
async function linked(xtype: string, pairsOf: (a: string, b: string) => readonly Pair[]): Promise<[string, string]> {
  const [a = '', b = ''] = await records(xtype, 'A', 'B');
  await putLinks(service, (await link(xtype, a, b)).body.id, pairsOf(a, b));
  return [a, b];
}

describe('the number of mutual synonyms', () => {
  it('is at most 1,000: a link to one more is refused', async () => {
    const [a, b] = await linked('products', (one, other) => chained([one, ...newIds(MOST_SYNONYMS - 3), other]));
    const [c, d, e] = await records('products', 'C', 'D', 'E');
    const links = await count('products');
    expect([(await link('products', c, d)).status, (await link('products', a, c)).status]).toEqual([201, 409]);
    expect((await link('products', b, e)).status).toBe(201);
    const refused = await link('products', e, c);
    expect(refused.body).toMatchObject({
      code: 'CONFLICT',
      detail:
        'At most 1000 records may be synonyms of each other, directly or through others; with this link they would be 1002.',
    });
    expect((await link('products', b, a)).status).toBe(200);
    expect((await link('products', a, e)).status).toBe(201);
    expect(await count('products')).toBe(links + 3);
  });

  it('may stay higher where an earlier version allowed it', async () => {
    const [a, b] = await linked('vessels', (one, other) => chained([one, ...newIds(MOST_SYNONYMS), other]));
    const [c] = await records('vessels', 'C');
    expect([(await link('vessels', b, a)).status, (await link('vessels', a, c)).status]).toEqual([200, 409]);
    const unlinked = await service.ask('DELETE', `${xrefs}/vessels/${a}/synonyms/${b}`, { as });
    expect([unlinked.status, (await link('vessels', a, b)).status]).toEqual([200, 201]);
  });

  it('is not exceeded when many links are made at once', async () => {
    const names = Array.from({ length: 16 }, (_, index) => `No. ${index}`);
    const [a] = await linked('tests', (one) => chained([one, ...newIds(MOST_SYNONYMS - 5)]));
    const others = await records('tests', ...names);
    const before = await count('tests');
    const answers = await Promise.all(others.map((other) => link('tests', a, other)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 201)).toEqual([409]);
    expect(await count('tests')).toBe(before + answers.filter(({ status }) => status === 201).length);
    expect(await count('tests')).toBeLessThan(MOST_SYNONYMS);
  });
});

it('mutual synonyms have at most 10,000 links', async () => {
  const [a, b] = await linked('uom', (one, other) => {
    const ids = newIds(141);
    return [[one, ids[0] ?? ''], [other, ids[1] ?? ''], ...allPairs(ids)] as Pair[];
  });
  const [c] = await records('uom', 'C');
  expect(await count('uom')).toBeLessThan(MOST_LINKS);
  const extra = newIds(MOST_LINKS - (await count('uom')));
  await putLinks(
    service,
    (await link('uom', a, b)).body.id,
    extra.map((id) => [a, id]),
  );
  const refused = await link('uom', a, c);
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.detail).toContain('may have 10000 links among them');
  expect((await link('uom', b, a)).status).toBe(200);
});
