import { tenantPartition } from '../../model/entity/partition.ts';
import type { Condition } from '../../store/entities/query.ts';
import type { RequestContext } from '../request/request-context.ts';
import { notDeclined } from '../workspaces/acceptance.ts';
import type { ListRequest } from './list-request.ts';

/** As many workspaces MongoDB reads side by side, each in the order of its index. */
const SIDE_BY_SIDE = 100;

/**
 * Where the documents of a list over all workspaces lie: in those of the caller that were not declined. They are named where the
 * list has a filter or an order, because the indexes for these begin with the workspace; those of one parent are where that is.
 */
export async function partitionsOf(
  ctx: RequestContext,
  request: ListRequest & { readonly parent?: string | null | undefined },
): Promise<Condition | undefined> {
  const { filter, where, order, orderBy, parent } = request;
  const stores = ctx.readStores();
  if (parent) {
    const partition = (await stores.documents.visible(parent, ctx))?.partition;
    return partition ? { stored: 'workspace', anyOf: [partition] } : undefined;
  }
  if (!filter?.length && !where && !order?.length && !orderBy?.length) return notDeclined(ctx, 'workspace');
  const ids = await stores.workspaces.listedFor(ctx.tenant, { most: SIDE_BY_SIDE, ...ctx.time });
  if (!ids) return notDeclined(ctx, 'workspace');
  return { stored: 'workspace', anyOf: [...ids, tenantPartition(ctx.tenant)] };
}
