import type { Document } from 'mongodb';
import { expect } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import type { TestService } from '../../service.ts';

/** How MongoDB ran the commands of some work, from its own profiler. */
export async function plansBy(service: TestService, work: () => Promise<{ status: number }>): Promise<Document[]> {
  await work(); // the first run has the planner try its plans
  const commands = await commandsDuring(service, async () => expect((await work()).status).toBe(200));
  // A credential is read again after some seconds.
  const entries = commands.filter(
    ({ ns, planSummary }) => planSummary !== undefined && !/\.principals$/.test(String(ns)),
  );
  expect(entries.length).toBeGreaterThan(0);
  return entries.map((entry) => ({ nreturned: 0, ...entry })); // MongoDB does not say how many values a `distinct` returned
}
