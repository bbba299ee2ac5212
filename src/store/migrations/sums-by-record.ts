import type { Db } from 'mongodb';
import { inTransaction } from '../change-streams/snapshot-transactions.ts';
import { FACTS } from '../statistics/apply-facts.ts';
import { months } from '../statistics/months/rollup-months.ts';
import type { Migration } from './migration.ts';

/** Rebuilds every rollup as the sum of its facts: delays and losses are summed by product, vendor and location too. */
export const sumsByRecord: Migration = {
  title: 'statistics are summed by record',
  isRepeatable: true,
  total: (db: Db) => db.collection(FACTS).estimatedDocumentCount(),
  steps: (db: Db, after: string | undefined) =>
    months({ db, isFirst: false, run: (work) => inTransaction(db, work) }, after),
};
