import type { ClientSession, Filter } from 'mongodb';
import type { StoredAttachment } from '../../model/entity/entity.ts';
import type { Stores } from '../../store/stores.ts';

/**
 * Erases attachments and lets go of their files, in one transaction with what they belong to: the ids of the files,
 * whose contents are to be erased once the transaction holds.
 */
export async function eraseAttachments(
  { attachments, files }: Stores,
  filter: Filter<StoredAttachment>,
  session: ClientSession,
): Promise<string[]> {
  const found = await attachments.findMany(filter, session);
  if (found.length === 0) return [];
  const erased = found.map((attachment) => String(attachment.stored('file.id')));
  await attachments.erase({ _id: { $in: found.map(({ id }) => id) } }, session);
  await files.letGo(erased, session);
  return erased;
}
