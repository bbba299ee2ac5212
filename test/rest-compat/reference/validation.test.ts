import { describe, expect, it } from 'vitest';
import { GRADE_KINDS } from '../../../src/model/reference-data/grade-kinds.ts';
import { serviceFixture } from '../../service.ts';
import { asking, COLLECTIONS, NAMES, statusOf } from './catalog.ts';

const service = serviceFixture();

const ask = asking(() => service);
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** The pointers of a refused body, which must have left nothing behind. */
async function faultsOf(name: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<string[]> {
  const answer = await ask('PUT', `${name}/refused`, body, headers && { headers });
  expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
  expect((await ask('GET', `${name}/refused`)).status).toBe(404);
  return answer.body.errors.map((fault: { path: string }) => fault.path).toSorted();
}

const accept = async (name: string, body: unknown, headers?: Readonly<Record<string, string>>) => {
  const answer = await ask('PUT', `${name}/accepted`, body, headers && { headers });
  expect([answer.text, answer.status < 300]).toEqual([answer.text, true]);
  return answer.body;
};

describe.each(NAMES)('the body of %s', (name) => {
  const least = COLLECTIONS[name];

  it.each(Object.keys(least))('requires %s', async (member) => {
    expect(await faultsOf(name, { ...least, [member]: undefined })).toEqual([`/${member}`]);
    expect(await faultsOf(name, { ...least, [member]: null })).toEqual([`/${member}`]);
    expect(await faultsOf(name, { ...least, [member]: 7 })).toEqual([`/${member}`]);
  });

  it('requires a non-empty name', async () => {
    for (const text of ['', ' ', '\t']) expect(await faultsOf(name, { ...least, name: text })).toEqual(['/name']);
  });

  it('accepts two statuses', async () => {
    const status = statusOf(name);
    for (const value of ['active', 'CLOSED', '', 1, true]) {
      expect(await faultsOf(name, { ...least, [status]: value })).toEqual([`/${status}`]);
    }
    for (const value of ['ACTIVE', 'INACTIVE']) {
      expect((await accept(name, { ...least, [status]: value }))[status]).toBe(value);
    }
  });

  it('refuses members with harmful names, and nesting beyond 64 levels', async () => {
    const deep = JSON.parse('['.repeat(70) + ']'.repeat(70));
    expect(await faultsOf(name, { ...least, deep })).toHaveLength(1);
    const odd = JSON.stringify({ ...least, $set: 1, constructor: 2 });
    expect(await faultsOf(name, odd.replace('"$set"', '"__proto__":{},"$set"'))).toEqual([
      '/$set',
      '/__proto__',
      '/constructor',
    ]);
  });
});

describe.each(['ports', 'inland_facilities'] as const)('a location of %s', (name) => {
  const least = COLLECTIONS[name];

  it('comes back as written', async () => {
    const sent = {
      name: 'Rotterdam',
      countryCode: 'NL',
      geoRegionCode: 'NWE',
      latitudeDeg: 51,
      latitudeMin: 57.5,
      latitudeSec: 0.25,
      latitudeNs: 'N',
      longitudeDeg: 4,
      longitudeMin: 8,
      longitudeSec: 59.99,
      longitudeWe: 'E',
      statusCode: 'INACTIVE',
      restrictions: 'Draught 22.5 m',
      generalComments: null,
    };
    expect(await accept(name, sent)).toMatchObject(sent);
  });

  it.each([
    ['latitudeDeg', [0, 90, 51.95], [-1, -0.1, 90.1, 91, '51', true]],
    ['longitudeDeg', [0, 180, 4.5], [-1, 180.1, 181, '4']],
    ['latitudeMin', [0, 59, 59.999], [-1, 60, '5']],
    ['latitudeSec', [0, 59.999], [-1, 60, '5']],
    ['longitudeMin', [0, 59.999], [-1, 60, '5']],
    ['longitudeSec', [0, 59.999], [-1, 60, '5']],
    ['latitudeNs', ['N', 'S'], ['n', 'E', '', 1]],
    ['longitudeWe', ['W', 'E'], ['w', 'N', '', 1]],
    [
      'countryCode',
      ['NL', 'nl', 'Nl', 'SG', 'AA', 'QM', 'QZ', 'XA', 'XK', 'XZ', 'ZZ', 'ax'],
      ['EU', 'UK', 'QL', 'AB', 'NLD', 'N', '', 'ß', 31],
    ],
    ['geoRegionCode', ['anything', ''], [1, []]],
    ['restrictions', [''], [1, {}]],
    ['generalComments', [''], [1, false]],
  ])('checks %s', async (member, good, bad) => {
    for (const value of [...good, null]) {
      const kept = member === 'countryCode' && typeof value === 'string' ? value.toUpperCase() : value;
      expect((await accept(name, { ...least, [member]: value }))[member]).toBe(kept);
    }
    for (const value of bad) expect(await faultsOf(name, { ...least, [member]: value })).toEqual([`/${member}`]);
  });

  it('stays on the earth including minutes and seconds', async () => {
    await accept(name, {
      ...least,
      latitudeDeg: 90,
      latitudeMin: 0,
      latitudeSec: 0,
      longitudeDeg: 180,
      longitudeMin: 0,
    });
    expect(await faultsOf(name, { ...least, latitudeDeg: 90, latitudeSec: 1 })).toEqual(['/latitudeDeg']);
    expect(await faultsOf(name, { ...least, longitudeDeg: 180, longitudeMin: 0.5 })).toEqual(['/longitudeDeg']);
  });

  it('is refused with all its faults', async () => {
    const wrong = {
      countryCode: 'EU',
      latitudeDeg: -5,
      latitudeMin: 60,
      latitudeNs: 'X',
      longitudeWe: 'X',
      statusCode: 'X',
    };
    expect(await faultsOf(name, wrong)).toEqual([
      '/countryCode',
      '/latitudeDeg',
      '/latitudeMin',
      '/latitudeNs',
      '/longitudeWe',
      '/name',
      '/statusCode',
    ]);
  });
});

describe('a grade', () => {
  const least = COLLECTIONS.grades;

  it('is of one of the 63 types, each as listed, or without its space', async () => {
    expect(GRADE_KINDS).toHaveLength(63);
    const spaced = GRADE_KINDS.filter(({ code }) => code.includes(' '));
    expect(spaced).toHaveLength(3);
    for (const { code } of GRADE_KINDS) {
      expect((await accept('grades', { ...least, gradeTypeCode: code })).gradeTypeCode).toBe(code);
      const close = code.replace(' ', '');
      expect((await accept('grades', { ...least, gradeTypeCode: close })).gradeTypeCode).toBe(code);
      expect((await accept('grades', { ...least, gradeTypeCode: close })).gradeTypeCode).toBe(code);
    }
    for (const gradeTypeCode of ['NDP_BEER', 'ndp_jet', 'NDP_JET ', 'NDP JET', '']) {
      expect(await faultsOf('grades', { ...least, gradeTypeCode })).toEqual(['/gradeTypeCode']);
    }
  });

  const formOf = (body: object) => new URLSearchParams(Object.entries(body).map(([k, v]) => [k, String(v)])).toString();

  it.each([
    [true, 'true'],
    [false, 'false'],
    [true, 'True'],
    [false, 'FALSE'],
  ])('may be an urlencoded form, with isSensitive %s as %s', async (isSensitive, text) => {
    const body = { ...least, gradeTypeCode: 'NDP_BASE_OILS_&_FINISHED_LUBRICANTS', description: 'ö & + %' };
    const form = formOf({ ...body, isSensitive: text, more: '1' });
    for (const type of [FORM, { 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8' }]) {
      expect(await accept('grades', form, type)).toMatchObject({ ...body, isSensitive, more: '1' });
    }
    expect(await accept('grades', { ...body, isSensitive })).toMatchObject({ ...body, isSensitive });
  });

  it('is refused as an invalid form', async () => {
    expect(await faultsOf('grades', '', FORM)).toEqual(
      Object.keys(least)
        .map((name) => `/${name}`)
        .toSorted(),
    );
    expect(await faultsOf('grades', formOf({ ...least, isSensitive: 'yes' }), FORM)).toEqual(['/isSensitive']);
    expect(await faultsOf('grades', formOf({ ...least, isSensitive: '' }), FORM)).toEqual(['/isSensitive']);
    expect(await faultsOf('grades', `${formOf(least)}&name=again`, FORM)).toEqual(['/name']);
    expect(await faultsOf('grades', `${formOf(least)}&note=%zz`, FORM)).toEqual(['/note']);
    expect(await faultsOf('grades', '{}', FORM)).toHaveLength(5);
  });

  it('is refused unread as a form of more than 1,000 fields', async () => {
    const form = (fields: number) =>
      ['name=again', ...Array.from({ length: fields - 1 }, (_, n) => `f${n}=%`)].join('&');
    const refused = await ask('PUT', 'grades/refused', form(1_001), { headers: FORM });
    expect([refused.status, refused.body.code]).toEqual([413, 'TOO_LARGE']);
    expect(refused.body.detail).toContain('1000 fields');
    expect((await ask('PUT', 'grades/refused', form(1_000), { headers: FORM })).body.errors[0].path).toBe('/f0');
  });

  it('takes no other media type, and other records take no forms', async () => {
    for (const [name, type] of [
      ['grades', 'text/plain'],
      ['grades', 'multipart/form-data; boundary=x'],
      ['grades', 'application/x-www-form-urlencoded; charset=latin1'],
      ['ports', FORM['Content-Type']],
      ['companies', FORM['Content-Type']],
    ] as const) {
      const answer = await ask('PUT', `${name}/refused`, 'name=x', { headers: { 'Content-Type': type } });
      expect([name, type, answer.status, answer.body.code]).toEqual([name, type, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it('is done once under an Idempotency-Key as a form too', async () => {
    const headers = { ...FORM, 'Idempotency-Key': 'a form' };
    const first = await ask('PUT', 'grades/form', formOf(least), { headers });
    const again = await ask('PUT', 'grades/form', formOf(least), { headers });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    const other = await ask('PUT', 'grades/form', formOf({ ...least, name: 'x' }), { headers });
    expect(other.status).toBe(422);
  });
});

describe('a company', () => {
  it('is refused with all faults of its head office', async () => {
    const wrong = {
      name: 'X',
      companyRoles: ['A', 7],
      headOffice: {
        name: 1,
        description: [],
        contact: {
          addresses: [{ countryCode: 'NL' }, { isPreferred: 'yes', countryCode: 'EU', city: 1 }, null],
          emails: [{ address: {}, emailTypeCode: 1 }],
          urls: {},
          phones: [{ phoneNumber: 31 }],
        },
      },
    };
    const contact = '/headOffice/contact';
    expect(await faultsOf('companies', wrong)).toEqual(
      [
        '/companyRoles/1',
        '/headOffice/name',
        '/headOffice/description',
        `${contact}/addresses/1/isPreferred`,
        `${contact}/addresses/1/countryCode`,
        `${contact}/addresses/1/city`,
        `${contact}/addresses/2`,
        `${contact}/emails/0/address`,
        `${contact}/emails/0/emailTypeCode`,
        `${contact}/urls`,
        `${contact}/phones/0/phoneNumber`,
      ].toSorted(),
    );
    expect(await faultsOf('companies', { name: 'X', headOffice: 'HQ', companyRoles: 'A' })).toEqual([
      '/companyRoles',
      '/headOffice',
    ]);
  });

  it('upper-cases country codes of addresses, and keeps all else as written', async () => {
    const addresses = [{ countryCode: 'sg', countrycode: 'nl', state: 'de' }, { countryCode: null }];
    const { headOffice } = await accept('companies', {
      name: 'X',
      headOffice: { contact: { addresses, fax: ['nl'] } },
    });
    expect(headOffice).toEqual({
      contact: { addresses: [{ ...addresses[0], countryCode: 'SG' }, { countryCode: null }], fax: ['nl'] },
    });
  });
});
