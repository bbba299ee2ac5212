import type { Match } from '../../store/entities/match.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transaction.ts';

/**
 * Erases attachments and lets go of their files, in one transaction with what they belong to: the ids of the files,
 * whose contents are to be erased once the transaction holds.
 */
export async function eraseAttachments(
  { attachments, files }: Stores,
  match: Match,
  tx: Transaction,
): Promise<string[]> {
  const found = await attachments.findMany(match, tx);
  if (found.length === 0) return [];
  const erased = found.map((attachment) => String(attachment.stored('file.id')));
  await attachments.erase({ _id: found.map(({ id }) => id) }, tx);
  await files.letGo(erased, tx);
  return erased;
}
