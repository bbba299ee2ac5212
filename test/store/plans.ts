import type { Document } from 'mongodb';
import { expect } from 'vitest';
import type { TestService } from '../service.ts';

/** How MongoDB ran the commands of some work, by its own profile. */
export async function plansBy(
  { stores: { db } }: TestService,
  work: () => Promise<{ status: number }>,
): Promise<Document[]> {
  await work(); // the first time, the planner tries its plans
  await db.command({ profile: 2 });
  const { status } = await work();
  await db.command({ profile: 0 });
  expect(status).toBe(200);
  const entries = await db
    .collection('system.profile')
    .find({ ns: { $not: /system\.profile$/ }, planSummary: { $exists: true } })
    .toArray();
  await db.collection('system.profile').drop();
  expect(entries.length).toBeGreaterThan(0);
  return entries;
}
