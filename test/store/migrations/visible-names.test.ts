import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/store/migrations/list.ts';
import { repeatMigrations } from '../../../src/store/migrations/run-migrations.ts';
import { visibleNames } from '../../../src/store/migrations/visible-names.ts';
import { type Caller, startTestService, type TestService } from '../../service.ts';

let old: TestService;
let service: TestService;
/** Three organizations of an earlier version, the second and third of which look like the first. */
const alike: { readonly id: string; readonly name: string }[] = [];

const create = (at: TestService, name: string, as: Caller = 'client') =>
  at.ask('POST', '/v2/organizations', { as, body: { name } });
const change = (id: string, body: object) =>
  service.ask('PATCH', `/v2/organizations/${id}`, { as: 'client', body: { body } });
const organizations = () => service.stores.db.collection<{ _id: string; visible_key?: string }>('organizations');
const keyOf = async (id: string | undefined) => (await organizations().findOne({ _id: String(id) }))?.visible_key;

/** The names as stored by a version without visible keys. */
async function storeAsBefore(names: readonly string[]) {
  const { db } = old.stores;
  const stored = db.collection<{ _id: string }>('organizations');
  for (const name of names) {
    const { body } = await create(old, `Org ${newId()}`);
    const update = {
      $set: { 'body.name': name, name_key: name.toLowerCase() },
      $unset: { visible_key: true },
    } as const;
    await stored.updateOne({ _id: body.id }, update as never);
    alike.push({ id: body.id, name });
  }
}

beforeAll(async () => {
  old = await startTestService();
  const { db } = old.stores;
  await storeAsBefore(['Kestrel\u200b Oil', 'Kestrel Oil', 'Kestrel \u00adOil']);
  await db.collection('organizations').updateMany({}, { $unset: { visible_key: true } });
  const number = MIGRATIONS.indexOf(visibleNames);
  await db.collection<{ _id: string }>('meta').updateOne({ _id: 'form' }, { $set: { number } });
  service = await startTestService({ database: db.databaseName });
});
afterAll(async () => {
  await service.stop();
  await old.stop();
});

describe('starting on a database with look-alike organizations', () => {
  it("leaves their names alone, and records the oldest's visible key", async () => {
    for (const { id, name } of alike) {
      const { body } = await service.ask('GET', `/v2/organizations/${id}`, { as: 'client' });
      expect(body.body.name).toBe(name);
    }
    expect(await Promise.all(alike.map(({ id }) => keyOf(id)))).toEqual(['kestrel oil', undefined, undefined]);
  });

  it('rejects new look-alikes, and lets each of them change anything but its name', async () => {
    for (const name of ['Kestrel\u2060 Oil', 'kestrel oil\u200b']) {
      expect((await create(service, name, 'stranger')).body).toMatchObject({ status: 409, code: 'NAME_TAKEN' });
    }
    for (const { id, name } of alike) {
      const changed = await change(id, { name, category: 'shipper' });
      expect([changed.status, changed.body.body.name]).toEqual([200, name]);
    }
    expect((await create(service, 'KESTREL \u200bOIL', 'stranger')).status).toBe(409);
  });

  it('can be repeated for what an older gateway wrote', async () => {
    const [first, second] = alike;
    await storeAsBefore(['Falcon Oil']);
    expect((await change(first?.id ?? '', { name: 'Peregrine Oil' })).status).toBe(200);
    const { db } = service.stores;
    const log = { info: () => undefined, warn: () => undefined };
    await repeatMigrations(db, log);
    expect(await Promise.all([first, second, alike[2], alike[3]].map((one) => keyOf(one?.id)))).toEqual([
      ...['peregrine oil', 'kestrel oil', undefined, 'falcon oil'],
    ]);
    expect(await repeatMigrations(db, log)).toBe(0);
  });
});
