import { invalidInput } from '../../errors.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { RequestContext } from '../request/request-context.ts';

/**
 * Fences the new parent and all its ancestors, in the transaction of the move, so that none of them can be deleted or moved meanwhile and
 * two concurrent moves cannot form a cycle. INVALID_INPUT if the document itself is among them; false if the parent no longer exists.
 */
export async function fenceAncestors(
  ctx: RequestContext,
  { id, parent }: { readonly id: string; readonly parent: string },
  tx: Transaction,
): Promise<boolean> {
  const { documents } = ctx.writeStores();
  const seen = new Set<string>();
  for (let above: string | null = parent; above !== null && !seen.has(above); ) {
    if (above === id) throw invalidInput([{ path: '/parent', message: `${parent} is below this document itself.` }]);
    seen.add(above);
    if ((await documents.fence({ _id: above }, ctx.sources.now(), tx)) === 0) return above !== parent;
    const [found] = await documents.findMany({ _id: above }, tx);
    above = found?.parentId ?? null;
  }
  return true;
}
