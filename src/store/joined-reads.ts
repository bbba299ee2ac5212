import DataLoader from 'dataloader';

/** The most members of one joined call. */
const MAX_JOINED = 256;

/**
 * Joins reads that are asked for in the same turn of the event loop, by whatever requests, into one call. Nothing is
 * kept: it is no cache. Who may see an answer is for each caller to check, since its neighbours may be of other tenants.
 */
export function joinedReads<T>(read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>): JoinedReads<T> {
  const loader = new DataLoader<string, T | undefined>(
    async (keys) => {
      const found = await read(keys.length === 1 ? keys : [...new Set(keys)]);
      return keys.map((key) => found.get(key));
    },
    { cache: false, maxBatchSize: MAX_JOINED, batchScheduleFn: setImmediate },
  );
  return (key) => loader.load(key);
}

export type JoinedReads<T> = (key: string) => Promise<T | undefined>;
