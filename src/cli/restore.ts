import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkBeginning } from '../backup/archive-reader.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { readConfig } from '../config.ts';
import { PROGRAM } from '../model/command-line.ts';
import { readOneWord } from './arguments/words.ts';
import { commandLineEntry } from './audit/command-line-entry.ts';
import { onLongConnection, UnansweredAtEnd, withDatabase } from './database.ts';
import { ProgressLine } from './output/progress-line.ts';
import { untilSignal } from './signals.ts';

export const USAGE = `${PROGRAM} restore FILE [--replace]`;

const PERHAPS_HALF =
  'If the restore had begun, the database is half restored now: run it again with --replace, ten seconds from now.';

/** Restores a backup into the database of MONGODB_URI, or of DATA_DIR, while no service runs on it. */
export async function run(args: readonly string[]): Promise<void> {
  const replace = args.includes('--replace');
  const file = resolve(readOneWord(args, { what: 'the name of the file to restore', flags: ['--replace'] }));
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`${file} is a folder. Name the file of a backup.`);
  }
  await checkBeginning(file); // before a database is started for it
  const line = new ProgressLine(process.stderr);
  const started = performance.now();
  const progress = (doing: string) => line.show(doing);
  const restored = await untilSignal(
    (stopped) =>
      withDatabase({ mustBeIdle: true }, (address) =>
        onLongConnection(
          address,
          (db) => {
            const change = { tenant: null, action: 'database.restored', entity: null, command: 'restore' } as const;
            const restoredBy = commandLineEntry(change);
            const { auditTtlDays } = readConfig(process.env);
            return restoreBackup({ db, file, replace, stopped, progress, restoredBy, auditTtlDays });
          },
          stopped,
        ),
      ),
    // any other error tells the state of the database
    (ended, error) => (error instanceof UnansweredAtEnd ? `${ended} ${error.message} ${PERHAPS_HALF}` : error.message),
  ).finally(() => line.end());
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(
    `Restored ${restored.documents} documents as they were on ${restored.takenAt}, stored form ${restored.form}, in ${seconds} s. The service can be started.`,
  );
}
