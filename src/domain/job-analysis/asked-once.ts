import type { PlacedEntity } from '../../model/entity/entity.ts';

/** The cached promise for a record, or a new read; failures are not cached, so the next caller reads again. */
export function askedOnce<T>(
  known: Map<string, Promise<T>>,
  { workspaceId, id }: PlacedEntity,
  read: () => Promise<T>,
): Promise<T> {
  const key = `${workspaceId} ${id}`;
  const asked = known.get(key);
  if (asked) return asked;
  const reading = read();
  known.set(key, reading);
  reading.catch(() => known.delete(key));
  return reading;
}
