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
  return entries.filter((entry) => !('profile' in entry.command) && !isHealthCheck(entry));
}

/** Also made when a database answers slowly, as that of a busy machine does. */
const isHealthCheck = ({ ns, command }: Document): boolean =>
  /\.health$/.test(ns) || (command.find === 'fs.files' && Object.keys(command.filter).length === 0);
