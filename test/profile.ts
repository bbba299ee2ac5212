import type { Document } from 'mongodb';
import type { TestService } from './service.ts';

/**
 * What MongoDB says, in their order, of the commands that it ran for a service while some work was done: its own profile, which
 * keeps the last thousand or so. Those on one collection, if it is named.
 */
export async function commandsDuring(
  { stores: { db } }: TestService,
  work: () => Promise<unknown>,
  collection?: string,
): Promise<Document[]> {
  const filter = collection === undefined ? 'unset' : { ns: `${db.databaseName}.${collection}` };
  await db.command({ profile: 2, filter });
  try {
    await work();
  } finally {
    await db.command({ profile: 0, filter: 'unset' });
  }
  const entries = await db
    .collection('system.profile')
    .find({ ns: { $not: /system\.profile$/ } })
    .sort({ ts: 1 })
    .toArray();
  await db.collection('system.profile').drop();
  return entries.filter(({ command }) => !('profile' in command));
}
