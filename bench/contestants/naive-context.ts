import DataLoader from 'dataloader';
import type { Context } from '../../src/context.ts';
import type { Entity, Stored } from '../../src/model/entity.ts';
import type { StoredKey } from '../../src/store/principals.ts';
import { WrittenEntity } from '../../src/store/read-entity.ts';
import { JOB_SCHEMA_ID } from './express-base.ts';
import type { JobBody } from './job-validation.ts';
import type { Jobs } from './jobs.ts';

/** What the resolvers of the measured operations reach, over the ordinary objects that the driver makes. */
export function naiveContext(jobs: Jobs, principal: StoredKey): Context {
  const { tenant } = principal;
  const entity = (stored: Stored): Entity => new WrittenEntity(stored);
  const records = new DataLoader(async (ids: readonly string[]) => {
    const found = new Map((await jobs.records(tenant, ids)).map((record) => [record._id, entity(record)]));
    return ids.map((id) => found.get(id));
  });
  const catalogRecord = (id: unknown) => (typeof id === 'string' ? records.load(id) : undefined);
  const documents = {
    get: async (place: { workspace: string; id: string }) => entity(await jobs.get(tenant, place)),
    list: async ({ workspace, offset }: { workspace: string; offset?: number | null }) => {
      const nodes = (await jobs.newest(tenant, workspace, { offset: offset ?? 0 })).map(entity);
      return { nodes, hasNextPage: true, hasPreviousPage: false };
    },
    create: async ({ workspace, body }: { workspace: string; body: JobBody }) =>
      entity(await jobs.create(principal, workspace, body)),
    createMany: async ({ workspace, bodies }: { workspace: string; bodies: readonly JobBody[] }) =>
      (await jobs.createMany(principal, workspace, bodies)).map(entity),
  };
  return {
    domain: { documents, schemaId: () => JOB_SCHEMA_ID },
    load: {
      catalogRecord,
      catalogRecords: (ids: unknown) => Promise.all(Array.isArray(ids) ? ids.map(catalogRecord) : []),
    },
  } as unknown as Context;
}
