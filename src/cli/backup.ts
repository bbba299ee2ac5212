import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { megabytes } from '../backup/archive.ts';
import { withHistory } from '../backup/history-window.ts';
import { taken } from '../backup/new-file.ts';
import { takeBackup } from '../backup/take-backup.ts';
import { PROGRAM } from '../model/command-line.ts';
import { VERSION } from '../version.ts';
import { readOneWord } from './arguments/words.ts';
import { onLongConnection, withDatabase } from './database.ts';
import { ProgressLine } from './output/progress-line.ts';
import { untilSignal } from './signals.ts';

export const USAGE = `${PROGRAM} backup FILE`;
/** How long the embedded database retains snapshots, in seconds: during a backup, and otherwise (mongod's default). */
const HISTORY = { during: 24 * 60 * 60, afterwards: 5 * 60 } as const;

/** Writes a backup of the database of MONGODB_URI, or of DATA_DIR, whether a service runs on it or not. */
export async function run(args: readonly string[]): Promise<void> {
  const file = resolve(readOneWord(args, { what: 'the name of the file to write' }));
  if (existsSync(file)) throw new Error(taken(file));
  const line = new ProgressLine(process.stderr);
  const started = performance.now();
  const progress = (collection: string, read: number, total: number) =>
    line.show(`${collection}: ${read} of ${Math.max(read, total)}`);
  const backup = await untilSignal(
    (stopped) =>
      withDatabase({ mustExist: true }, (address) =>
        onLongConnection(
          address,
          (db) => {
            const take = () => takeBackup({ client: db.client, db, file, service: VERSION, stopped, progress });
            return address.isEmbedded ? withHistory(db, HISTORY, take) : take();
          },
          stopped,
        ),
      ),
    (ended) => `${ended} No backup was written.`,
  ).finally(() => line.end());
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(
    `${file}: ${backup.documents} documents of ${backup.collections} collections, stored form ${backup.form}, ${megabytes(backup.bytes)}, in ${seconds} s.`,
  );
}
