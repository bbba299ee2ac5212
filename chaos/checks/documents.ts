import type { Intent } from '../ledger.ts';
import { countFault, describe, type Evidence, type Finding, grouped } from './evidence.ts';

interface MarkedDocument {
  readonly _id: string;
  readonly body: { readonly chaos: string };
}

/** Every document that was acknowledged is there once, what was deleted is gone, and bulks are whole or absent. */
export async function checkDocuments(evidence: Evidence): Promise<Finding[]> {
  const found = await evidence.db
    .collection<MarkedDocument>('documents')
    .find({ 'body.chaos': { $exists: true } }, { projection: { 'body.chaos': 1 } })
    .toArray();
  const byMark = grouped(found, ({ body }) => body.chaos);
  return evidence.intents.flatMap((intent) => {
    const { claim } = intent;
    if (claim.noun !== 'documents') return [];
    const ids = idsOf(intent);
    const isGone = [...ids, claim.parent ?? ''].some((id) => evidence.deleted.has(id));
    const isUnsure = [...ids, claim.parent ?? ''].some((id) => evidence.unsure.has(id));
    const counts = claim.marks.map((mark) => byMark.get(mark)?.length ?? 0);
    const there = counts.filter((count) => count > 0).length;
    if (there > 0 && there < claim.marks.length) {
      return [{ kind: 'wrong', text: `${there} of ${claim.marks.length} of a bulk are there: ${describe(intent)}` }];
    }
    if (isUnsure) return [];
    if (isGone) return there === 0 ? [] : [{ kind: 'wrong', text: `deleted, and is there: ${describe(intent)}` }];
    const faults = claim.marks.flatMap((mark, index) => countFault(intent, mark, counts[index] ?? 0));
    const other = claim.marks.flatMap((mark, index) => {
      const [one] = byMark.get(mark) ?? [];
      const answered = ids[index];
      if (!one || answered === undefined || one._id === answered) return [];
      return [{ kind: 'wrong', text: `answered ${answered}, and ${one._id} is there: ${describe(intent)}` } as const];
    });
    return [...faults, ...other];
  });
}

/** The ids that an acknowledged creation was answered with. */
export function idsOf({ answer }: Intent): string[] {
  if (!answer || answer.status >= 300) return [];
  const { body } = answer;
  if (Array.isArray(body)) return body.map(({ id }) => String(id));
  return body?.id === undefined ? [] : [String(body.id)];
}
