import { checkFormToRead } from '../store/migrations/check-form.ts';
import { type Verification, verify } from '../verification/verify.ts';
import { onLongConnection, withDatabase } from './database.ts';
import { ProgressLine } from './output/progress-line.ts';

/** Reads the whole database and prints inconsistencies (doctor --verify); 1 if there are any. */
export async function runVerification(isJson: boolean): Promise<number> {
  const line = new ProgressLine(process.stderr);
  const progress = (collection: string, read: number, total: number) =>
    line.show(`${collection}: ${read} of ${Math.max(read, total)}`);
  const outcome = await withDatabase({ mustExist: true }, (address) =>
    onLongConnection(address, async (db) => {
      await checkFormToRead(db);
      return verify({ client: db.client, db, progress });
    }),
  ).finally(() => line.end());
  console.log(isJson ? JSON.stringify(outcome) : textOf(outcome));
  return outcome.findings.length === 0 ? 0 : 1;
}

function textOf({ read, findings, omitted, notes }: Verification): string {
  const counts = Object.entries(read).map(([collection, count]) => `${collection.padEnd(18)} ${count}`);
  const faults = findings.map(({ collection, id, fault }) => `${collection} ${id} ${fault}`);
  const more = omitted > 0 ? [`${omitted} more are not listed.`] : [];
  const sum = findings.length + omitted;
  const end = sum === 0 ? 'No problems found.' : `${sum} ${sum === 1 ? 'problem' : 'problems'} found.`;
  return [...counts, ...notes, ...faults, ...more, end].join('\n');
}
