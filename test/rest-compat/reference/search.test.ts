import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture } from '../../service.ts';
import { asking, COLLECTIONS, type Collection, NAMES } from './catalog.ts';

const NOW = Date.UTC(2026, 4, 1);
const MINUTE = 60_000;
const COUNT = 60;

let now = NOW;

/** Codes that sort differently by code points than in a dictionary. */
const SOME_CODES = ['a', 'B', 'Ä', 'Z-1', '10', '9', '😀', 'z'];
const codes = [...SOME_CODES, ...Array.from({ length: COUNT - SOME_CODES.length }, (_, i) => `C${i}`)];
const sorted = codes.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const service = serviceFixture({ sources: { now: () => new Date(now) } });

beforeAll(async () => {
  for (const name of NAMES) {
    for (const [i, code] of codes.entries()) {
      now = NOW + i * MINUTE;
      await ask('PUT', `${name}/${encodeURIComponent(code)}`, COLLECTIONS[name]);
    }
    await ask('PUT', `${name}/theirs`, COLLECTIONS[name], { as: 'vendor' });
    now = NOW + COUNT * MINUTE;
    await ask('DELETE', `${name}/C0`);
  }
});

const ask = asking(() => service);
const search = (name: Collection, query = '') => ask('GET', `${name}${query === '' ? '' : `?${query}`}`);
const codesOf = (results: readonly { clientCode: string }[]) => results.map(({ clientCode }) => clientCode);
const listOf = (list: readonly unknown[]) => `clientCodes=${encodeURIComponent(JSON.stringify(list))}`;
const time = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();

describe.each(NAMES)('a search of %s', (name) => {
  const most = name === 'companies' ? 100 : 200;

  it('returns 25 results by default, by code, including inactive ones, and nothing of others', async () => {
    const { status, body } = await search(name);
    expect([status, Object.keys(body)]).toEqual([
      200,
      ['totalResultsAvailable', 'firstResultPosition', 'resultsPerPage', 'results'],
    ]);
    expect(body).toMatchObject({ totalResultsAvailable: COUNT, firstResultPosition: 1, resultsPerPage: 25 });
    expect(codesOf(body.results)).toEqual(sorted.slice(0, 25));
    const all = (await search(name, 'resultsPerPage=100')).body.results;
    expect(codesOf(all)).toEqual(sorted);
    const [inactive] = all.filter(({ clientCode }: { clientCode: string }) => clientCode === 'C0');
    expect(inactive[name === 'grades' ? 'gradeStatusCode' : 'statusCode']).toBe('INACTIVE');
  });

  it('is read page by page, each result once', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 5; page++) {
      const { body } = await search(name, `page=${page}&resultsPerPage=17`);
      const here = { totalResultsAvailable: COUNT, firstResultPosition: (page - 1) * 17 + 1, resultsPerPage: 17 };
      expect(body).toMatchObject(here);
      seen.push(...codesOf(body.results));
    }
    expect(seen).toEqual(sorted);
  });

  it('answers a page past the last, however far', async () => {
    for (const [page, first] of [
      [4, 76],
      [2_147_483_647, 53_687_091_151],
    ]) {
      const { status, body } = await search(name, `page=${page}`);
      expect([status, body]).toEqual([
        200,
        { totalResultsAvailable: COUNT, firstResultPosition: first, resultsPerPage: 25, results: [] },
      ]);
    }
  });

  it('finds what was written between two dates, inclusive', async () => {
    const found = async (query: string) => {
      const { body } = await search(name, `${query}&resultsPerPage=100`);
      expect(body.totalResultsAvailable).toBe(body.results.length);
      return codesOf(body.results).toSorted();
    };
    const written = (from: number, to: number) =>
      codes.filter((code, i) => code !== 'C0' && i >= from && i <= to).toSorted();
    expect(await found(`dateModifiedFrom=${time(10)}&dateModifiedTo=${time(12)}`)).toEqual(written(10, 12));
    expect(await found(`dateModifiedTo=${time(12)}`)).toEqual(written(0, 12));
    expect(await found(`dateModifiedFrom=${time(COUNT)}`)).toEqual(['C0']);
    expect(
      await found(`dateModifiedFrom=${encodeURIComponent('2026-05-01T02:10:00+02:00')}&dateModifiedTo=${time(10)}`),
    ).toEqual(written(10, 10));
    expect(await found('dateModifiedFrom=2026-05-01&dateModifiedTo=2026-05-01')).toEqual(codes.toSorted());
    expect(await found('dateModifiedTo=2026-04-30')).toEqual([]);
    expect(await found(`dateModifiedFrom=${time(12)}&dateModifiedTo=${time(11)}`)).toEqual([]);
  });

  it('finds the given codes', async () => {
    const found = async (list: readonly unknown[], more = '') => {
      const { body } = await search(name, `${listOf(list)}${more}`);
      return [body.totalResultsAvailable, codesOf(body.results)];
    };
    expect(await found(['z', '😀', 'none', 'theirs', 'z'])).toEqual([2, ['z', '😀']]);
    expect(await found([])).toEqual([0, []]);
    expect(await found(codes, '&page=2&resultsPerPage=40')).toEqual([COUNT, sorted.slice(40)]);
    expect(await found(['a', 'B'], `&dateModifiedFrom=${time(1)}`)).toEqual([1, ['B']]);
    expect(await found([...codes, ...Array<string>(most - COUNT).fill('none')], '&resultsPerPage=100')).toEqual([
      COUNT,
      sorted,
    ]);
  });

  it('accepts the maximum number of codes of maximum length', async () => {
    const long = Array.from({ length: most - 1 }, (_, index) => String(index).padEnd(100, '中'));
    const { status, body } = await search(name, listOf([...long, 'z']));
    expect([status, body.totalResultsAvailable]).toEqual([200, 1]);
  });

  it('refuses empty parameters, and null for a number', async () => {
    const empty = await search(name, 'page=&resultsPerPage=null&dateModifiedFrom=&dateModifiedTo=&clientCodes=');
    expect([empty.status, empty.body.errors.length]).toEqual([400, 5]);
    expect((await search(name, `resultsPerPage=${most}`)).body.resultsPerPage).toBe(most);
  });

  it.each([
    ['page', 'page=0'],
    ['page', 'page=-1'],
    ['page', 'page=1.5'],
    ['page', 'page=x'],
    ['page', 'page=2147483648'],
    ['page', 'page=1&page=2'],
    ['resultsPerPage', 'resultsPerPage=0'],
    ['resultsPerPage', `resultsPerPage=${most + 1}`],
    ['resultsPerPage', 'resultsPerPage=ten'],
    ['dateModifiedFrom', 'dateModifiedFrom=yesterday'],
    ['dateModifiedFrom', 'dateModifiedFrom=2026-02-30'],
    ['dateModifiedTo', 'dateModifiedTo=2026-05-01T08:30:00'],
    ['dateModifiedTo', 'dateModifiedTo=2026-05-01&dateModifiedTo=2026-05-02'],
    ['clientCodes', 'clientCodes=A1'],
    ['clientCodes', 'clientCodes=A1,B2'],
    ['clientCodes', 'clientCodes="A1"'],
    ['clientCodes', 'clientCodes={"a":1}'],
    ['clientCodes', 'clientCodes=[1]'],
    ['clientCodes', 'clientCodes=["A",null]'],
    ['clientCodes', 'clientCodes=null'],
    ['clientCodes', listOf(['A', '\ud800'])],
    ['clientCodes', listOf(Array<string>(most + 1).fill('A'))],
    ['clientCodes', 'clientCodes=[]&clientCodes=[]'],
    ['limit', 'limit=1'],
    ['sort', 'sort=name'],
    ['name', 'name=x'],
  ])('refuses an invalid %s: %s', async (parameter, query) => {
    const { status, body } = await search(name, query);
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(body.errors.map((fault: { parameter: string }) => fault.parameter)).toEqual([parameter]);
  });

  it('reports all faults at once', async () => {
    const { body } = await search(
      name,
      'page=0&resultsPerPage=x&dateModifiedFrom=x&dateModifiedTo=x&clientCodes=x&x=1',
    );
    const parameters = body.errors.map((fault: { parameter: string }) => fault.parameter);
    expect(parameters.toSorted()).toEqual([
      'clientCodes',
      'dateModifiedFrom',
      'dateModifiedTo',
      'page',
      'resultsPerPage',
      'x',
    ]);
  });
});

describe('the number of results', () => {
  it('is right after concurrent creations, refusals and changes', async () => {
    const total = async () => (await search('ports', 'resultsPerPage=1')).body.totalResultsAvailable;
    const before = await total();
    const names = Array.from({ length: 40 }, (_, i) => `N${i % 30}`);
    await Promise.all(names.map((code) => ask('PUT', `ports/${code}`, { name: code })));
    await ask('PUT', 'ports/refused', { name: '' });
    await ask('PUT', 'ports/refused', { name: 'x' }, { headers: { 'If-Match': '"x"' } });
    await ask('DELETE', 'ports/N1');
    expect(await total()).toBe(before + 30);
    expect((await search('ports', 'page=4')).body.results).toHaveLength(before + 30 - 75);
  });

  it('is right on far pages, where a position is looked up first', async () => {
    const many = Array.from({ length: 700 }, (_, i) => `F${String(i).padStart(4, '0')}`);
    for (let i = 0; i < many.length; i += 20) {
      const body = { ...COLLECTIONS.grades };
      await Promise.all(many.slice(i, i + 20).map((code) => ask('PUT', `grades/${code}`, body, { as: 'stranger' })));
    }
    const page = async (query: string) => (await ask('GET', `grades?${query}`, undefined, { as: 'stranger' })).body;
    for (const [number, from] of [
      [21, 500],
      [22, 525],
      [28, 675],
    ] as const) {
      const { results, ...rest } = await page(`page=${number}`);
      expect(rest).toEqual({ totalResultsAvailable: 700, firstResultPosition: from + 1, resultsPerPage: 25 });
      expect(codesOf(results)).toEqual(many.slice(from, from + 25));
    }
    expect((await page('page=29')).results).toEqual([]);
    expect(codesOf((await page('page=4&resultsPerPage=200')).results)).toEqual(many.slice(600));
    const dated = await page('page=21&dateModifiedFrom=2026-01-01');
    expect(codesOf(dated.results)).toEqual(many.slice(500, 525));
    expect(dated.totalResultsAvailable).toBe(700);
  });
});
