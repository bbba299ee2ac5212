import type { Match } from '../../store/entities/match.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import { eraseTraced, type TracedDeletion } from './erase-traced.ts';

/**
 * Erases attachments and releases their files, in the transaction that erases their documents. Returns the file ids; their contents are
 * erased after the commit.
 */
export async function eraseAttachments(stores: Stores, match: Match, deletion: TracedDeletion): Promise<string[]> {
  const { attachments, files } = stores;
  const { tx } = deletion;
  const found = await attachments.findMany(match, tx);
  if (found.length === 0) return [];
  const erased = found.map((attachment) => String(attachment.stored('file.id')));
  const same = { _id: found.map(({ id }) => id) };
  await eraseTraced(stores, { collection: attachments, match: same }, deletion);
  await files.letGo(erased, tx);
  return erased;
}

/** Erases attachments that nobody has been told about, without a trace; the next sweep of loose files erases their contents. */
export const withdrawAttachments =
  ({ attachments, files }: Stores) =>
  async (match: Match, tx: Transaction): Promise<void> => {
    const found = await attachments.findMany(match, tx);
    await attachments.erase(match, tx);
    await files.letGo(
      found.map((attachment) => String(attachment.stored('file.id'))),
      tx,
    );
  };
