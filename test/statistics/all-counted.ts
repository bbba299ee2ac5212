import { expect, vi } from 'vitest';
import type { TestService } from '../service.ts';

/** Waits until all earlier writes are counted, however long that takes; a request waits two seconds. */
export const allCounted = ({ stores }: Pick<TestService, 'stores'>): Promise<void> => {
  const isCounted = async () => expect(await stores.statistics.freshness.passedWithin(1_000)).toBe(true);
  return vi.waitFor(isCounted, { timeout: 100_000 });
};
