import { tenantPartition } from '../../model/entity/partition.ts';
import type { Comparable, Condition } from '../../store/entities/query.ts';
import type { RequestContext } from '../request/request-context.ts';
import { notDeclined } from '../workspaces/acceptance.ts';
import type { ParsedFilter } from './filters.ts';
import type { ListRequest } from './list-request.ts';

const PARTITION = 'workspace';

/** A filter in which a null workspace means the partition of the tenant's documents outside workspaces. */
export function withUnplaced(tenant: string, filter: ParsedFilter): ParsedFilter {
  const each = (inner: readonly ParsedFilter[]) => inner.map((one) => withUnplaced(tenant, one));
  if ('all' in filter) return { all: each(filter.all) };
  if ('any' in filter) return { any: each(filter.any) };
  if ('none' in filter) return { none: each(filter.none) };
  if ('match' in filter) return { ...filter, match: withUnplaced(tenant, filter.match) };
  if (filter.stored !== PARTITION) return filter;
  const meant = (values: readonly Comparable[]) =>
    values.includes(null) ? [...values, tenantPartition(tenant)] : values;
  if ('anyOf' in filter) return { stored: PARTITION, anyOf: meant(filter.anyOf) };
  return 'noneOf' in filter ? { stored: PARTITION, noneOf: meant(filter.noneOf) } : filter;
}

/** The most workspaces that MongoDB reads side by side, each in the order of its index. */
const SIDE_BY_SIDE = 100;

/**
 * The partitions of a list over all workspaces: the caller's, except declined ones. They are named explicitly if the list has a filter or
 * an order, because the indexes for these begin with the workspace; documents of one parent are in the parent's partition.
 */
export async function partitionsOf(
  ctx: RequestContext,
  request: ListRequest & { readonly parent?: string | null | undefined },
): Promise<Condition | undefined> {
  const { filter, where, order, orderBy, parent } = request;
  const stores = ctx.readStores();
  if (parent) {
    const partition = (await stores.documents.visible(parent, ctx))?.partition;
    return partition ? { stored: PARTITION, anyOf: [partition] } : undefined;
  }
  if (!filter?.length && !where && !order?.length && !orderBy?.length) return notDeclined(ctx, PARTITION);
  const ids = await stores.workspaces.listedFor(ctx.tenant, { most: SIDE_BY_SIDE, ...ctx.time });
  if (!ids) return notDeclined(ctx, PARTITION);
  return { stored: PARTITION, anyOf: [...ids, tenantPartition(ctx.tenant)] };
}
