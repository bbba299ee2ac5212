import { MongoBulkWriteError, MongoServerError } from 'mongodb';

/** MongoDB's code for a write that a unique index refuses. */
export const DUPLICATE_KEY = 11_000;

/** The name of the unique index that a write ran into; undefined for every other error. */
export function duplicateKeyIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return undefined;
  return /index: (\S+)/.exec(error.message)?.[1] ?? '_id_';
}

/** Which document of an insert of many ran into a unique index; undefined for every other error. */
export function duplicateKeyPosition(error: unknown): number | undefined {
  if (duplicateKeyIndex(error) === undefined) return undefined;
  if (error instanceof MongoBulkWriteError) return [error.writeErrors].flat()[0]?.index;
  const { index } = error as { readonly index?: unknown }; // of `insertInOrder`
  return typeof index === 'number' ? index : undefined;
}
