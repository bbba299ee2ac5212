import { expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const create = async (path: string, body: object): Promise<string> => {
  const { status, body: made, text } = await service.ask('POST', path, { as: 'client', body });
  expect(status, text).toBe(201);
  return made.id;
};

const documents = () => `/v2/workspaces/${workspace.id}/documents`;
const products = () => `/v2/workspaces/${workspace.id}/xrefs/products`;

/** An entity with a unique value, another of the same kind, and a change that would give both the same. */
const KINDS: readonly [kind: string, make: () => Promise<{ path: string; patch: object }>][] = [
  [
    'a document',
    async () => {
      const parent = await create(documents(), { type: 'svc.inspection.job', body: {} });
      const result = (direction: string) =>
        create(documents(), { type: 'svc.inspection.quantityResult', body: { parent, direction } });
      await result('source');
      return { path: `${documents()}/${await result('destination')}`, patch: { body: { direction: 'source' } } };
    },
  ],
  [
    'a record',
    async () => {
      await create(products(), { name: 'One', xref: 'X-1' });
      return { path: `${products()}/${await create(products(), { name: 'Two' })}`, patch: { body: { xref: 'X-1' } } };
    },
  ],
  [
    'an organization',
    async () => {
      const named = (name: string) => create('/v2/organizations', { name, category: 'shipper' });
      await named('Taken already');
      return { path: `/v2/organizations/${await named('Free')}`, patch: { body: { name: 'Taken already' } } };
    },
  ],
];

it.each(KINDS)('nothing of %s that was never changed outlives its tombstone', async (_kind, make) => {
  const { path, patch } = await make();
  expect((await service.ask('PATCH', path, { as: 'client', body: patch })).status).toBe(409);
  expect((await service.ask('DELETE', path, { as: 'client' })).status).toBe(200);
  const { db } = service.stores;
  const entity = path.split('/').at(-1);
  const tombstone = await db
    .collection<{ _id: string; expires_at: Date }>('tombstones')
    .findOne({ _id: String(entity) });
  expect(tombstone).toMatchObject({ revision: 1, expires_at: expect.any(Date) });
  const lasting = { entity, expires_at: { $ne: tombstone?.expires_at } };
  expect(await db.collection('versions').countDocuments(lasting)).toBe(0);
});
