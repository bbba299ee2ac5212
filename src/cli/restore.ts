import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { restoreBackup } from '../backup/restore-backup.ts';
import { readConfig } from '../config.ts';
import { PROGRAM } from '../model/command-line.ts';
import { commandLineEntry } from './audit/command-line-entry.ts';
import { onLongConnection, withDatabase } from './database.ts';
import { readOneWord } from './on-database.ts';
import { ProgressLine } from './output/progress-line.ts';
import { EndedBySignal, untilSignal } from './signals.ts';

export const USAGE = `${PROGRAM} restore FILE [--replace]`;

/** Restores a backup into the database of MONGODB_URI, or of DATA_DIR, while no service runs on it. */
export async function run(args: readonly string[]): Promise<number> {
  const replace = args.includes('--replace');
  let name: string;
  try {
    name = readOneWord(args, { what: 'the name of the file to restore', flags: ['--replace'] });
  } catch (error) {
    console.error(`${(error as Error).message}\n\nUsage:\n${USAGE}`);
    return 1;
  }
  const file = resolve(name);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    console.error(`${file} is a folder. Name the file of a backup.`);
    return 1;
  }
  const line = new ProgressLine(process.stderr);
  const started = performance.now();
  try {
    const progress = (doing: string) => line.show(doing);
    const restored = await untilSignal((stopped) =>
      withDatabase({ mustBeIdle: true }, (address) =>
        onLongConnection(address, (db) => {
          const change = { tenant: null, action: 'database.restored', entity: null, command: 'restore' } as const;
          const restoredBy = commandLineEntry(change);
          const { auditTtlDays } = readConfig(process.env);
          return restoreBackup({ db, file, replace, stopped, progress, restoredBy, auditTtlDays });
        }),
      ),
    );
    line.end();
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(
      `Restored ${restored.documents} documents as they were on ${restored.takenAt}, stored form ${restored.form}, in ${seconds} s. The service can be started.`,
    );
    return 0;
  } catch (error) {
    line.end();
    const isEnded = error instanceof EndedBySignal;
    console.error(((isEnded ? error.cause : error) as Error).message); // the cause tells the state of the database
    return isEnded ? error.exitCode : 1;
  }
}
