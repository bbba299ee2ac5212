import type { Document } from 'mongodb';
import type { TestService } from './service.ts';

/** MongoDB's profile of the commands it ran for a service during some work, in order. */
export async function commandsDuring(
  { stores: { db } }: TestService,
  work: () => Promise<unknown>,
): Promise<Document[]> {
  await db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  const entries = await db
    .collection('system.profile')
    .find({ ns: { $not: /system\.profile$/ } })
    .sort({ ts: 1 })
    .toArray();
  await db.collection('system.profile').drop();
  return entries.filter(({ command }) => !('profile' in command));
}
