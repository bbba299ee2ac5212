import { PROGRAM } from '../model/command-line.ts';
import { checkForm } from '../store/migrations/check-form.ts';
import { rebuildStatistics } from '../store/statistics/rebuild.ts';
import { connectForLongWork, withDatabase } from './database.ts';
import { ProgressLine } from './progress-line.ts';

const USAGE = `Usage:\n  ${PROGRAM} rebuild statistics     counts all jobs anew, while the service runs`;

/** Counts anew what is kept beside the documents. */
export async function run(args: readonly string[]): Promise<number> {
  if (args.length !== 1 || args[0] !== 'statistics') {
    console.error(`${args.join(' ') || 'Nothing'} cannot be rebuilt; statistics can.\n\n${USAGE}`);
    return 1;
  }
  try {
    await rebuild();
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

async function rebuild(): Promise<void> {
  const line = new ProgressLine(process.stderr);
  const outcome = await withDatabase({ mustExist: true }, async ({ uri, database }) => {
    const client = await connectForLongWork(uri);
    const progress = (read: number, total: number) => line.show(`${read} of ${Math.max(read, total)}`);
    const db = client.db(database);
    return checkForm(db, false)
      .then(() => rebuildStatistics(db, progress))
      .finally(() => client.close());
  }).finally(() => line.end());
  console.log(
    outcome.changed === 0
      ? `The statistics are right: ${outcome.read} documents were read.`
      : `${outcome.read} documents were read, and ${outcome.changed} kept figures corrected.`,
  );
}
