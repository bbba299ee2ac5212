import DataLoader from 'dataloader';
import type { Context } from '../../src/context.ts';
import { Analyses } from '../../src/domain/job-analysis/job-analysis.ts';
import type { ChildrenRequest, Loaders } from '../../src/domain/loaders/loaders.ts';
import type { Entity, PlacedEntity, Stored } from '../../src/model/entity/entity.ts';
import type { StoredKey } from '../../src/store/access/principals.ts';
import { WrittenEntity } from '../../src/store/entities/read-entity.ts';
import { JOB_SCHEMA_ID } from './express-base.ts';
import type { JobBody } from './job-validation.ts';
import type { Jobs } from './jobs.ts';

/** The context of the measured operations' resolvers, over the plain objects that the driver returns. */
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
    list: async ({ workspace, offset, filter }: { workspace: string; offset?: number | null; filter?: unknown }) => {
      const where = filter ? { 'body.status': 'complete' } : {};
      const nodes = (await jobs.newest(tenant, workspace, { offset: offset ?? 0, where })).map(entity);
      return { nodes, hasNextPage: true, hasPreviousPage: false };
    },
    create: async ({ workspace, body }: { workspace: string; body: JobBody }) =>
      entity(await jobs.create(principal, workspace, body)),
    createMany: async ({ workspace, bodies }: { workspace: string; bodies: readonly JobBody[] }) =>
      (await jobs.createMany(principal, workspace, bodies)).map(entity),
  };
  const catalogRecords = (ids: unknown) => Promise.all(Array.isArray(ids) ? ids.map(catalogRecord) : []);
  const byType = new Map<string, DataLoader<Entity, Entity[]>>();
  const reported = (job: Entity, type: string): Promise<Entity[]> => {
    const loader = byType.get(type) ?? new DataLoader((parents) => below(parents, type));
    byType.set(type, loader);
    return loader.load(job);
  };
  const below = async (parents: readonly Entity[], type: string): Promise<Entity[][]> => {
    const ids = parents.map(({ id }) => id);
    const rows = await jobs.below(tenant, String(parents[0]?.workspaceId), ids, type);
    return ids.map((id) => rows.filter(({ parent_id }) => parent_id === id).map(entity));
  };
  const links = new DataLoader<PlacedEntity, string[], string>(
    async (linked) => {
      const ids = linked.map(({ id }) => id);
      const found = await jobs.links(tenant, String(linked[0]?.workspaceId), ids);
      return ids.map((id) =>
        found.flatMap(({ items }) => (items.includes(id) ? items.filter((one) => one !== id) : [])),
      );
    },
    { cacheKeyFn: ({ id }) => id },
  );
  const synonymIds = async (record: PlacedEntity) => [record.id, ...(await links.load(record))].sort();
  const load = {
    catalogRecord,
    catalogRecords,
    reported,
    synonymIds,
    readRecords: () => undefined,
    readRecordsAhead: () => undefined,
    readRecordsOf: () => undefined,
    children: async (job: Entity, { type, first }: ChildrenRequest) => (await reported(job, type)).slice(0, first),
    synonyms: async (record: Entity) => catalogRecords(await links.load(record)),
    synonymGroup: async (record: Entity) => catalogRecords(await synonymIds(record)),
  };
  return {
    domain: { documents, schemaId: () => JOB_SCHEMA_ID },
    load,
    readAnew: () => undefined,
    analyse: new Analyses(load as unknown as Loaders),
  } as unknown as Context;
}
