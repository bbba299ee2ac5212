import { getHeapSpaceStatistics } from 'node:v8';

/** The bytes of this process's objects in V8's old generation. */
export const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
