import { beforeAll, describe, expect, it } from 'vitest';
import { type Caller, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const LONG = `${'0123456789'.repeat(60)}-the-end`;
const TEXTS = [
  'KST-26-00001',
  'kst-26-10001',
  'K',
  'KS',
  'a.b*c[1]$^(x)|/#\\ -',
  '.*',
  'Straße ſtadt ẞ',
  'ΟΔΟΣ οδος',
  '273.15 \u212a and k',
  'İstanbul ıslak',
  '😀a😀😀bc😀',
  'e\u0301tat \u00e9tat',
  'line\nbreak\ttab\0nul',
  '  spaces  ',
  '',
  LONG,
];
const FIELDS = ['refNumber', 'tripNumber', 'xref'] as const;

const find = async (where: object, as: Caller = 'client', of = 'jobs'): Promise<string[]> => {
  const type = { jobs: 'JobWhere', catalogRecords: 'CatalogRecordWhere', organizations: 'OrganizationWhere' }[of];
  const isCatalog = of === 'catalogRecords';
  const place = isCatalog ? 'workspace: $w, ' : '';
  const query = `query Q($where: ${type}${isCatalog ? ', $w: UUID!' : ''}) {
    ${of}(${place}first: 100, where: $where) { nodes { id } }
  }`;
  const { body } = await service.graphql(query, { where, ...(isCatalog && { w: workspace.id }) }, as);
  expect(body.errors).toBeUndefined();
  return body.data[of].nodes.map(({ id }: { id: string }) => id).sort();
};

/** What MongoDB finds without the stored text parts. */
async function truly(field: string, text: string): Promise<string[]> {
  const $regex = text.replace(/[\\^$.*+?()[\]{}|/#\s-]/g, '\\$&').replaceAll('\0', '\\x00');
  const rows = await service.stores.db
    .collection<{ _id: string }>('documents')
    .find({ type: 'svc.inspection.job', [`body.${field}`]: { $regex, $options: 'i' } })
    .toArray();
  return rows.map(({ _id }) => _id).sort();
}

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

const jobs = () => `/workspaces/${workspace.id}/jobs`;
const post = async (body: object): Promise<string> => {
  const answer = await service.ask('POST', jobs(), { as: 'client', body });
  expect(answer.status).toBe(201);
  return answer.body.id;
};

beforeAll(async () => {
  for (const [i, text] of TEXTS.entries()) await post({ [FIELDS[i % 3] ?? 'xref']: text, refNumber: text });
  await post({ tripNumber: 'no number at all' });
});

describe('searching by contained text', () => {
  it('finds any part of any length, anywhere, as without an index', async () => {
    const sought = new Set<string>(['nobody', '99', 'KST 26', LONG.slice(0, 300)]);
    for (const text of [...TEXTS.filter((one) => one !== LONG), LONG.slice(-12)]) {
      const characters = Array.from(text);
      for (const length of [1, 2, 3, 4, 5, 7]) {
        for (let at = 0; at + length <= characters.length; at += length > 4 ? 3 : 1) {
          const part = characters.slice(at, at + length).join('');
          sought.add(at % 2 === 0 ? part.toUpperCase() : part.toLowerCase()).add(part);
        }
      }
    }
    let found = 0;
    for (const parts of chunksOf([...sought], 40)) {
      const aliases = parts.map(
        (_, i) => `a${i}: jobs(first: 50, where: { refNumber: { contains: $c${i} } }) { nodes { id } }`,
      );
      const query = `query Q(${parts.map((_, i) => `$c${i}: String`).join(', ')}) { ${aliases.join(' ')} }`;
      const variables = Object.fromEntries(parts.map((part, i) => [`c${i}`, part]));
      const { body } = await service.graphql(query, variables);
      expect(body.errors).toBeUndefined();
      const expected = await Promise.all(parts.map((part) => truly('refNumber', part)));
      for (const [i, contained] of parts.entries()) {
        const ids = body.data[`a${i}`].nodes.map(({ id }: { id: string }) => id).sort();
        expect({ contained, ids }).toEqual({ contained, ids: expected[i] });
        found += ids.length;
      }
    }
    expect(found).toBeGreaterThan(sought.size);
  });

  it('is per field: what another field contains does not count', async () => {
    const id = await post({ xref: 'only-in-xref', tripNumber: 'only-in-trip' });
    expect(await find({ xref: { contains: 'ONLY-IN' } })).toEqual([id]);
    expect(await find({ tripNumber: { contains: 'in-trip' } })).toEqual([id]);
    expect(await find({ xref: { contains: 'in-trip' } })).toEqual([]);
    expect(await find({ refNumber: { contains: 'only-in' } })).toEqual([]);
    expect(await find({ not: { xref: { contains: 'only-in' } }, tripNumber: { contains: 'only' } })).toEqual([]);
    expect(await find({ or: [{ refNumber: { contains: 'only-in' } }, { xref: { contains: 'n-xref' } }] })).toEqual([
      id,
    ]);
  });

  it('follows changes and deletions', async () => {
    const id = await post({ refNumber: 'before-the-change' });
    expect(await find({ refNumber: { contains: 'fore-the' } })).toEqual([id]);
    await service.ask('PATCH', `${jobs()}/${id}`, { as: 'vendor', body: { refNumber: 'after-it' } });
    expect(await find({ refNumber: { contains: 'fore-the' } })).toEqual([]);
    expect(await find({ refNumber: { contains: 'ter-it' } })).toEqual([id]);
    await service.ask('PATCH', `${jobs()}/${id}`, { as: 'client', body: { refNumber: null } });
    expect(await find({ refNumber: { contains: 'ter-it' } })).toEqual([]);
    await service.ask('PATCH', `${jobs()}/${id}`, { as: 'client', body: { refNumber: 'after-it' } });
    await service.ask('DELETE', `${jobs()}/${id}`, { as: 'client' });
    expect(await find({ refNumber: { contains: 'ter-it' } })).toEqual([]);
  });

  it('finds nothing for strangers', async () => {
    expect(await find({ refNumber: { contains: 'kst' } }, 'stranger')).toEqual([]);
    const records = `query Q($w: UUID!) { catalogRecords(workspace: $w, where: { name: { contains: "port" } }) { nodes { id } } }`;
    const { body } = await service.graphql(records, { w: workspace.id }, 'stranger');
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('finds jobs without a workspace, for their tenant only', async () => {
    const body = { client: { name: 'Nobody Known' }, vendor: { name: 'Nor This' }, refNumber: 'loose-job-7' };
    const { body: made } = await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body });
    expect(await find({ refNumber: { contains: 'SE-JOB' } })).toEqual([made.id]);
    expect(await find({ refNumber: { contains: 'SE-JOB' } }, 'vendor')).toEqual([]);
  });

  it('finds a name in any letter case, and follows renames of the record', async () => {
    await post({ location: { name: ' Größe  Straße ', xref: 'LOC-77' } });
    expect(await find({ name: { contains: 'GRÖSSE' } }, 'client', 'catalogRecords')).toEqual([]);
    const [record = ''] = await find({ name: { contains: 'GRÖße  str' } }, 'client', 'catalogRecords');
    expect(await find({ xref: { contains: 'oc-7' } }, 'vendor', 'catalogRecords')).toEqual([record]);
    const path = `/workspaces/${workspace.id}/catalogs/locations/${record}`;
    expect((await service.ask('PATCH', path, { as: 'client', body: { name: 'Other Place' } })).status).toBe(200);
    expect(await find({ name: { contains: 'straße' } }, 'client', 'catalogRecords')).toEqual([]);
    expect(await find({ name: { contains: 'HER PL' } }, 'client', 'catalogRecords')).toEqual([record]);
    expect(await find({ location: { name: { contains: 'her pl' } } })).toHaveLength(1);
  });

  it('finds an organization by name, and follows renames', async () => {
    const { body: made } = await service.ask('POST', '/v2/organizations', {
      as: 'client',
      body: { name: 'Kärntner Öl' },
    });
    expect(await find({ name: { contains: 'RNTNER ö' } }, 'vendor', 'organizations')).toEqual([made.id]);
    const named = async (text: string) =>
      (await service.ask('GET', `/v2/organizations?name=${encodeURIComponent(text)}`, { as: 'vendor' })).body.length;
    expect([await named('tner Ö'), await named('er'), await named('öl2')]).toEqual([1, expect.any(Number), 0]);
    const body = { body: { name: 'Steirisches Öl' } };
    await service.ask('PATCH', `/v2/organizations/${made.id}`, { as: 'client', body });
    expect([await named('kärnt'), await named('STEIRISCH')]).toEqual([0, 1]);
  });

  it('finds a Greek name wherever it is cut: a final sigma equals one within a word', async () => {
    const name = 'ΣΩΣΑΝ ΝΑΥΣ.Α';
    await post({ location: { name } });
    const { body: made } = await service.ask('POST', '/v2/organizations', { as: 'client', body: { name } });
    const path = '/api/rest/1.0/ports/SIG';
    const put = await service.ask('PUT', path, { as: 'client', body: { name, countryCode: 'GR' } });
    expect(put.status).toBeLessThan(300);
    const ports = async (argument: string, text: string): Promise<number> => {
      const query = `query Q($text: String) { ports(${argument}: $text) { nodes { clientCode } } }`;
      const { body } = await service.graphql(query, { text });
      expect(body.errors).toBeUndefined();
      return body.data.ports.nodes.length;
    };
    for (const part of ['ΣΩΣ', 'σως', 'σωσ', 'ΣΩΣΑΝ ΝΑΥΣ', 'ναυς.', 'ΝΑΥΣ.α', 'Σ.Α']) {
      expect(await find({ name: { contains: part } }, 'client', 'catalogRecords')).toHaveLength(1);
      expect(await find({ name: { contains: part } }, 'client', 'organizations')).toEqual([made.id]);
      const { body } = await service.ask('GET', `/v2/organizations?name=${encodeURIComponent(part)}`, { as: 'vendor' });
      expect(body.map(({ id }: { id: string }) => id)).toEqual([made.id]);
      expect(await ports('nameContains', part)).toBe(1);
      const isFirst = name.toLowerCase().replaceAll('ς', 'σ').startsWith(part.toLowerCase().replaceAll('ς', 'σ'));
      expect([part, await ports('nameStartsWith', part)]).toEqual([part, isFirst ? 1 : 0]);
    }
    expect(await find({ name: { contains: 'ΣΩΤ' } }, 'client', 'organizations')).toEqual([]);
  });
});
