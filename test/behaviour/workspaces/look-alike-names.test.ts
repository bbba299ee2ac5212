import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Caller, serviceFixture } from '../../service.ts';

const service = serviceFixture();

const create = (name: string, as: Caller = 'client') =>
  service.ask('POST', '/v2/organizations', { as, body: { name } });
const rename = (id: string, name: string) =>
  service.ask('PATCH', `/v2/organizations/${id}`, { as: 'stranger', body: { body: { name } } });
const TAKEN = { status: 409, code: 'NAME_TAKEN' };

/** Names that look like "Kestrel Oil" with a mark that makes them unique to this test. */
const LOOK_ALIKES = [
  ...['\u200b', '\u00ad', '\u2060', '\u0000', '\u034f', '\u202e\u202c', '\ufeff', '\u{e0041}', '\n'],
].flatMap((unseen) => [
  (mark: string) => `Kestrel${unseen} Oil ${mark}`,
  (mark: string) => `${unseen}KESTREL OIL ${mark}${unseen}`,
  (mark: string) => `Kestrel Oil ${mark} ${unseen}`,
]);

describe('the name of an organization', () => {
  it('is taken by one that differs only in invisible characters, when creating and renaming', async () => {
    const mark = newId();
    const plain = await create(`Kestrel Oil ${mark}`);
    expect(plain.status).toBe(201);
    const { body: other } = await create(`Other ${newId()}`, 'stranger');
    for (const alike of LOOK_ALIKES.map((make) => make(mark))) {
      expect((await create(alike, 'stranger')).body).toMatchObject(TAKEN);
      expect((await rename(other.id, alike)).body).toMatchObject(TAKEN);
    }
    const { body } = await service.ask('GET', `/v2/organizations/${other.id}`, { as: 'stranger' });
    expect(body).toEqual(other);
  });

  it('is taken once by twenty concurrent look-alikes', async () => {
    const mark = newId();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => create(`Osprey${'\u200b'.repeat(i)} ${mark}`, i % 2 ? 'client' : 'vendor')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('is returned as sent, with joiners and whatever else languages need', async () => {
    const { body: other } = await create(`Other ${newId()}`, 'stranger');
    for (const name of [
      `نفت‌کش ${newId()}`,
      `\u{1f468}\u200d\u{1f469}\u200d\u{1f467} ${newId()}`,
      `a\u0000b ${newId()}`,
    ]) {
      expect((await create(name)).body.body.name).toBe(name);
      const renamed = await rename(other.id, `${name} 2`);
      expect([renamed.status, renamed.body.body.name]).toEqual([200, `${name} 2`]);
    }
  });

  it('can be changed by its owner in invisible characters, and is free again after deletion', async () => {
    const name = `Merlin ${newId()}`;
    const { body } = await create(name, 'stranger');
    expect((await rename(body.id, `${name}\u200b`)).status).toBe(200);
    expect((await create(name)).body).toMatchObject(TAKEN);
    expect((await service.ask('DELETE', `/v2/organizations/${body.id}`, { as: 'stranger' })).status).toBe(200);
    expect((await create(name)).status).toBe(201);
  });

  it.each(['\u200b', ' \u2060 \u00ad', '\u0000', '\u202e\u202c'])(
    'is empty if it has no visible character: %j',
    async (name) => {
      const fault = { path: '/name', message: 'must not be empty: none of its characters can be seen.' };
      const refused = await create(name);
      expect([refused.status, refused.body.code, refused.body.errors]).toEqual([400, 'INVALID_INPUT', [fault]]);
      const { body: other } = await create(`Other ${newId()}`, 'stranger');
      const kept = await rename(other.id, name);
      expect([kept.status, kept.body.errors]).toEqual([400, [{ ...fault, path: '/body/name' }]]);
    },
  );
});
