import { invalidInput, type Violation } from '../../errors.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { RequestContext } from '../request/request-context.ts';

/** A document, and the parent that it is to have. */
interface Move {
  readonly id: string;
  readonly parent: string;
}

/** The violation of a new parent that is below the document itself, as far as can be told before the move. */
export async function cycleViolations(ctx: RequestContext, move: Move): Promise<readonly Violation[]> {
  const { documents } = ctx.writeStores();
  const seen = new Set<string>();
  for (let above: string | null = move.parent; above !== null && !seen.has(above); ) {
    if (above === move.id) return [belowItself(move)];
    seen.add(above);
    above = (await documents.findOne({ _id: above }))?.parentId ?? null;
  }
  return [];
}

const belowItself = ({ parent }: Move): Violation => ({
  path: '/parent',
  message: `${parent} is below this document itself.`,
});

/**
 * Fences the new parent and all its ancestors, in the transaction of the move, so that none of them can be deleted or moved meanwhile and
 * two concurrent moves cannot form a cycle. INVALID_INPUT if the document itself is among them; false if the parent no longer exists.
 */
export async function fenceAncestors(ctx: RequestContext, { id, parent }: Move, tx: Transaction): Promise<boolean> {
  const { documents } = ctx.writeStores();
  const seen = new Set<string>();
  for (let above: string | null = parent; above !== null && !seen.has(above); ) {
    if (above === id) throw invalidInput([belowItself({ id, parent })]);
    seen.add(above);
    if ((await documents.fence({ _id: above }, ctx.sources.now(), tx)) === 0) return above !== parent;
    const [found] = await documents.findMany({ _id: above }, tx);
    above = found?.parentId ?? null;
  }
  return true;
}
