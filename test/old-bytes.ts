import { getHeapSpaceStatistics } from 'node:v8';

/** How many bytes of this process's objects are old to V8. */
export const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
