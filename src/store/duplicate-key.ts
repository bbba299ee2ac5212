import { MongoBulkWriteError, MongoServerError } from 'mongodb';

/** MongoDB's error code for a write refused by a unique index. */
export const DUPLICATE_KEY = 11_000;

/** The name of the unique index a write violated; undefined for any other error. */
export function duplicateKeyIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return undefined;
  return /index: (\S+)/.exec(error.message)?.[1] ?? '_id_';
}

/** The position of the document in a bulk insert that violated a unique index; undefined for any other error. */
export function duplicateKeyPosition(error: unknown): number | undefined {
  if (duplicateKeyIndex(error) === undefined) return undefined;
  if (error instanceof MongoBulkWriteError) return [error.writeErrors].flat()[0]?.index;
  const { index } = error as { readonly index?: unknown }; // from `insertInOrder`
  return typeof index === 'number' ? index : undefined;
}
