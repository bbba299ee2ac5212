import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import { hasCode } from './connection/error-codes.ts';

/** The name of the unique index a write violated; undefined for any other error. */
export function duplicateKeyIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || !hasCode(error, 'DuplicateKey')) return undefined;
  return /index: (\S+)/.exec(error.message)?.[1] ?? '_id_';
}

/** The position of the document in a bulk insert that violated a unique index; undefined for any other error. */
export function duplicateKeyPosition(error: unknown): number | undefined {
  if (duplicateKeyIndex(error) === undefined) return undefined;
  if (error instanceof MongoBulkWriteError) return [error.writeErrors].flat()[0]?.index;
  const { index } = error as { readonly index?: unknown }; // from `insertInOrder`
  return typeof index === 'number' ? index : undefined;
}
