import type { Document } from 'mongodb';
import { expect } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import type { TestService } from '../../service.ts';

/** How MongoDB ran the commands of some work, from its own profiler. */
export async function plansBy(service: TestService, work: () => Promise<{ status: number }>): Promise<Document[]> {
  await work(); // the first run has the planner try its plans
  const commands = await commandsDuring(service, async () => expect((await work()).status).toBe(200));
  const entries = commands.filter(({ planSummary }) => planSummary !== undefined);
  expect(entries.length).toBeGreaterThan(0);
  return entries.map((entry) => ({ nreturned: 0, ...entry })); // MongoDB does not say how many values a `distinct` returned
}
