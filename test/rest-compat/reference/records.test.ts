import { describe, expect, it } from 'vitest';
import { sendRaw, statusOf as statusOfRaw } from '../../http/raw.ts';
import { serviceFixture } from '../../service.ts';
import { asking, BASE, COLLECTIONS, NAMES, statusOf } from './catalog.ts';

const NOW = Date.UTC(2026, 4, 1, 8, 30);
const CLIENT = 'Demo client (cargo owner)';
const ADMIN = 'Demo client, administrator';

let now = NOW;

const service = serviceFixture({ sources: { now: () => new Date(now) } });

const ask = asking(() => service);
const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString();

describe.each(NAMES)('a record of %s', (name) => {
  const least = COLLECTIONS[name];
  const status = statusOf(name);

  it('is created, read and replaced, and says who wrote it when', async () => {
    now = NOW;
    const sent = { ...least, own: { nested: [1, null, 'x'] }, note: null };
    const made = await ask('PUT', `${name}/A1`, sent);
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`${BASE}/${name}/A1`);
    expect(made.body).toMatchObject({
      clientCode: 'A1',
      ...sent,
      [status]: 'ACTIVE',
      dateCreated: at(0),
      creator: CLIENT,
      dateModified: at(0),
      modifier: CLIENT,
    });
    const read = await ask('GET', `${name}/A1`);
    expect([read.status, read.text]).toEqual([200, made.text]);
    expect(read.headers.get('etag')).toBe(made.headers.get('etag'));

    now = NOW + 1_500;
    const replaced = await ask('PUT', `${name}/A1`, { ...least, name: 'Changed' }, { as: 'admin' });
    expect([replaced.status, replaced.headers.get('location')]).toEqual([200, null]);
    expect(replaced.body).toMatchObject({
      name: 'Changed',
      dateCreated: at(0),
      creator: CLIENT,
      dateModified: at(1_500),
      modifier: ADMIN,
    });
    expect(replaced.body).not.toHaveProperty('own');
    expect(replaced.body).not.toHaveProperty('note');
    expect(replaced.headers.get('etag')).not.toBe(made.headers.get('etag'));
    expect((await ask('GET', `${name}/A1`)).text).toBe(replaced.text);
  });

  it('is deactivated by DELETE, even repeatedly, and reactivated by PUT', async () => {
    now = NOW;
    await ask('PUT', `${name}/D1`, least);
    now = NOW + 1_000;
    const gone = await ask('DELETE', `${name}/D1`);
    expect([gone.status, gone.body]).toEqual([200, { clientCode: 'D1', statusCode: 'INACTIVE' }]);
    const read = await ask('GET', `${name}/D1`);
    expect(read.body).toMatchObject({ ...least, [status]: 'INACTIVE', dateModified: at(1_000) });
    expect(read.headers.get('etag')).toBe(gone.headers.get('etag'));
    now = NOW + 2_000;
    const again = await ask('DELETE', `${name}/D1`);
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([200, gone.text, gone.headers.get('etag')]);
    expect((await ask('GET', `${name}/D1`)).body.dateModified).toBe(at(1_000));
    const back = await ask('PUT', `${name}/D1`, least);
    expect([back.status, back.body[status]]).toEqual([200, 'ACTIVE']);
  });

  it("belongs to the tenant that wrote it: another tenant's same code is another record", async () => {
    await ask('PUT', `${name}/T1`, least);
    for (const as of ['vendor', 'stranger'] as const) {
      expect((await ask('GET', `${name}/T1`, undefined, { as })).status).toBe(404);
      expect((await ask('DELETE', `${name}/T1`, undefined, { as })).status).toBe(404);
      const found = (await ask('GET', `${name}?clientCodes=["T1"]`, undefined, { as })).body;
      expect(found).toMatchObject({ totalResultsAvailable: 0, results: [] });
    }
    const other = await ask('PUT', `${name}/T1`, { ...least, name: 'Theirs' }, { as: 'vendor' });
    expect([other.status, other.body.name]).toEqual([201, 'Theirs']);
    expect((await ask('GET', `${name}/T1`)).body.name).toBe(least.name);
    await ask('DELETE', `${name}/T1`, undefined, { as: 'vendor' });
    expect((await ask('GET', `${name}/T1`)).body[status]).toBe('ACTIVE');
  });

  it('ignores its code and the audit fields in a body', async () => {
    const sent = { clientCode: 7, dateCreated: 'x', creator: null, dateModified: {}, modifier: 'me' };
    const made = await ask('PUT', `${name}/I1`, { ...least, ...sent });
    expect([made.status, made.body.clientCode, made.body.creator]).toEqual([201, 'I1', CLIENT]);
    const back = await ask('PUT', `${name}/I1`, made.body);
    expect(back.status).toBe(200);
    expect({ ...back.body, dateModified: '' }).toEqual({ ...made.body, dateModified: '' });
  });

  it.each(['a/b', 'a%b', 'a b+c', 'ü€😀', '.', 'x;y,z:@&=$', '%2F', '"\\', 'x'.repeat(100), '😀'.repeat(100)])(
    'accepts a code of any characters: %s',
    async (code) => {
      const path = `${name}/${encodeURIComponent(code).replace(/^\.$/, '%2E-')}`;
      const made = await ask('PUT', path, least);
      expect(made.status).toBe(201);
      expect(made.body.clientCode).toBe(code.replace(/^\.$/, '.-'));
      expect((await ask('GET', path)).text).toBe(made.text);
      expect((await ask('GET', `${path}/`)).text).toBe(made.text);
      const codes = encodeURIComponent(JSON.stringify([made.body.clientCode]));
      expect((await ask('GET', `${name}?clientCodes=${codes}`)).body.results).toHaveLength(1);
    },
  );

  it.each(['x'.repeat(101), '😀'.repeat(101), 'x'.repeat(3_000)])(
    'refuses a code of more than 100: %#',
    async (code) => {
      for (const [method, body] of [['PUT', least], ['GET'], ['DELETE']] as const) {
        const answer = await ask(method, `${name}/${encodeURIComponent(code)}`, body);
        expect([method, answer.status, answer.body.errors[0].parameter]).toEqual([method, 400, 'clientCode']);
      }
    },
  );

  it.each(['.', '..'])('refuses a code no address can end in: %s', async (code) => {
    const body = JSON.stringify(least);
    const answer = await sendRaw(
      service.url,
      `PUT ${BASE}/${name}/${code} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer demo-client-key\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect([statusOfRaw(answer), answer]).toEqual([400, expect.stringContaining('no client can send in an address')]);
    const codes = encodeURIComponent(JSON.stringify([code]));
    expect((await ask('GET', `${name}?clientCodes=${codes}`)).body.results).toEqual([]);
  });

  it('refuses a code with malformed percent-encoding', async () => {
    for (const code of ['%', '%zz', '%ff', 'a%C3']) {
      for (const [method, body] of [['PUT', least], ['GET'], ['DELETE']] as const) {
        const answer = await ask(method, `${name}/${code}`, body);
        expect([code, method, answer.status, answer.body.code]).toEqual([code, method, 400, 'INVALID_INPUT']);
      }
    }
  });

  it('is changed only at the version in If-Match', async () => {
    const refused = await ask('PUT', `${name}/M1`, least, { headers: { 'If-Match': '*' } });
    expect([refused.status, refused.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const first = (await ask('PUT', `${name}/M1`, least)).headers.get('etag') ?? '';
    const second = await ask('PUT', `${name}/M1`, least, { headers: { 'If-Match': first } });
    expect(second.status).toBe(200);
    for (const [method, body] of [['PUT', least], ['DELETE']] as const) {
      const stale = await ask(method, `${name}/M1`, body, { headers: { 'If-Match': first } });
      expect([method, stale.status]).toEqual([method, 412]);
    }
    const tag = second.headers.get('etag') ?? '';
    expect((await ask('GET', `${name}/M1`, undefined, { headers: { 'If-None-Match': tag } })).status).toBe(304);
    expect((await ask('PUT', `${name}/M1`, least, { headers: { 'If-Match': '*' } })).status).toBe(200);
    const last = (await ask('GET', `${name}/M1`)).headers.get('etag') ?? '';
    expect((await ask('DELETE', `${name}/M1`, undefined, { headers: { 'If-Match': last } })).status).toBe(200);
  });

  it('is written once under an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': `key of ${name}` };
    const first = await ask('PUT', `${name}/K1`, least, { headers });
    const again = await ask('PUT', `${name}/K1`, least, { headers });
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, first.text, 'true']);
    expect((await ask('PUT', `${name}/K2`, least, { headers })).status).toBe(422);
  });

  it('is created once by twenty concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask('PUT', `${name}/R1`, { ...least, name: `Writer ${i}` })),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array<number>(19).fill(200), 201]);
    const tags = answers.map(({ headers }) => headers.get('etag'));
    expect(new Set(tags).size).toBe(20);
    const read = await ask('GET', `${name}/R1`);
    expect(answers[tags.indexOf(read.headers.get('etag'))]?.text).toBe(read.text);
    const found = await ask('GET', `${name}?clientCodes=["R1"]`);
    expect(found.body).toMatchObject({ totalResultsAvailable: 1, results: [{ clientCode: 'R1' }] });
  });

  it('is changed by only one of many requests with the same If-Match', async () => {
    const tag = (await ask('PUT', `${name}/R2`, least)).headers.get('etag') ?? '';
    const headers = { 'If-Match': tag };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        ask(i % 2 ? 'PUT' : 'DELETE', `${name}/R2`, i % 2 ? least : undefined, { headers }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
  });
});

describe('a PUT carried out by a gateway that then died', () => {
  it('is recognized on retry as the creation or change it was', async () => {
    const seed = '0190a000-0000-7000-8000-0000000000aa';
    type Request = Parameters<typeof service.gateway.authenticate>[0];
    const request = { headers: { authorization: 'Bearer demo-client-key' } } as Request;
    const viewer = await service.gateway.authenticate(request, true);
    const put = async (body: object, seeded: string, { isUsed = true } = {}) => {
      const operation = service.gateway.prepare(
        'mutation P($body: PortBody!) { putPort(clientCode: "S1", body: $body) { created port { versionId name } } }',
      );
      const seed = { value: seeded, isUsed, isLate: () => false };
      const context = service.gateway.open(viewer, { requestId: 'test', request, seed });
      const { data } = await service.gateway.run(operation, { body }, context);
      await context.dispose();
      return (data as { putPort: unknown }).putPort;
    };
    const first = await put({ name: 'One' }, seed, { isUsed: false });
    expect(first).toMatchObject({ created: true });
    expect(await put({ name: 'One' }, seed)).toEqual(first);
    const other = seed.replace('aa', 'bb');
    const second = await put({ name: 'Two' }, other, { isUsed: false });
    expect(second).toMatchObject({ created: false, port: { name: 'Two' } });
    expect(await put({ name: 'Two' }, other)).toEqual(second);
  });
});

describe('a company', () => {
  const headOffice = {
    name: 'Head office',
    description: 'Where it is run from',
    contact: {
      addresses: [
        { isPreferred: true, address: '1 Quay', city: 'Rotterdam', countryCode: 'NL', addressTypeCode: 'WORK' },
      ],
      emails: [{ isPreferred: false, address: 'a@b.example', emailTypeCode: 'WORK' }],
      urls: [],
      phones: [{ phoneNumber: '+31 10', phoneTypeCode: 'HOME', extension: 7 }],
    },
    floor: 3,
  };

  it('shows its whole head office in the record, and its name and description in a search', async () => {
    const sent = { name: 'Kestrel', headOffice, headOfficeName: 'wrong', headOfficeDescription: 1 };
    const made = await ask('PUT', 'companies/H1', sent);
    const named = { headOfficeName: 'Head office', headOfficeDescription: 'Where it is run from' };
    expect(made.body).toMatchObject({ headOffice, ...named, companyRoles: [] });
    expect((await ask('GET', 'companies/contact/H1')).text).toBe(made.text);
    expect((await ask('GET', 'companies/H1')).text).toBe(made.text);
    const [found] = (await ask('GET', 'companies?clientCodes=["H1"]')).body.results;
    const { headOffice: _left, ...rest } = made.body;
    expect(found).toEqual(rest);
  });

  it('has null for the name of an absent head office', async () => {
    const { body } = await ask('PUT', 'companies/H2', { name: 'Alone', companyRoles: ['SHIPPER'], statusCode: null });
    expect(body).toMatchObject({
      headOfficeName: null,
      headOfficeDescription: null,
      companyRoles: ['SHIPPER'],
      statusCode: 'ACTIVE',
    });
    expect(body).not.toHaveProperty('headOffice');
    expect((await ask('PUT', 'companies/H2', { name: 'A', headOffice: null })).body.headOffice).toBeNull();
  });

  it('stored by an earlier version under a code no address can end in is still found', async () => {
    await ask('PUT', 'companies/H3', { name: 'Dots' });
    await service.stores.db.collection('reference_records').updateOne({ code: 'H3' }, { $set: { code: '..' } });
    const codes = encodeURIComponent('[".."]');
    expect((await ask('GET', `companies?clientCodes=${codes}`)).body.results).toMatchObject([{ name: 'Dots' }]);
  });

  it('may have the code contact', async () => {
    const made = await ask('PUT', 'companies/contact', { name: 'Contact Ltd' });
    expect(made.status).toBe(201);
    for (const path of ['companies/contact', 'companies/contact/', 'companies/contact/contact']) {
      expect((await ask('GET', path)).text).toBe(made.text);
    }
    expect((await ask('GET', 'companies/contact/nobody')).status).toBe(404);
    expect((await ask('PUT', 'companies/contact/nobody', { name: 'x' })).status).toBe(405);
    expect((await ask('DELETE', 'companies/contact')).body.statusCode).toBe('INACTIVE');
  });
});
