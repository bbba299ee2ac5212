import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { repeatMigrations } from '../../store/migrations/run-migrations.ts';
import { connectStores } from '../../store/stores.ts';
import { untilStopped } from '../../store/until-stopped.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { parsedWords } from '../arguments/words.ts';
import { withDatabase } from '../database.ts';
import { untilSignal } from '../signals.ts';

export const USAGE = `${PROGRAM} migrate [--again] [--after SECONDS]`;

/**
 * Migrates the database to the stored form and indexes of this version while older gateways keep running.
 * --again also migrates what older gateways have written since; --after waits first, for older gateways that are stopping.
 * A signal stops the migration after the current batch; the next run resumes there.
 */
export async function run(args: readonly string[]): Promise<void> {
  const asked = argumentsOf(args);
  await untilSignal(
    (stopped) => migrate(asked, stopped),
    (ended) => `${ended} The next migrate, or start of the service, goes on where it was.`,
  );
}

interface Asked {
  readonly again: boolean;
  readonly afterSeconds: number;
}

async function migrate({ again, afterSeconds }: Asked, stopped: AbortSignal): Promise<void> {
  const { auditTtlDays, logLevel } = readConfig(process.env);
  const log = createLog({ logLevel });
  if (afterSeconds > 0) {
    log.info({ seconds: afterSeconds }, 'the migration begins later: older gateways may still be stopping');
    await untilStopped(sleep(afterSeconds * 1_000), stopped);
  }
  await withDatabase({ mustExist: true }, async ({ uri, database }) => {
    const stores = await connectStores({ uri, database, migrations: log, stopped, auditTtlDays });
    try {
      if (again) {
        const changed = await repeatMigrations(stores.db, log, stopped);
        log.info({ changed }, 'what older gateways have written has the stored form of this version');
      }
    } finally {
      await stores.close();
    }
  });
  log.info('the database has the stored form of this version');
}

const MAX_SECONDS = 86_400;

function argumentsOf(args: readonly string[]): Asked {
  const options = { again: { type: 'boolean', default: false }, after: { type: 'string', default: '0' } } as const;
  const { again, after } = parsedWords({ args: [...args], options }).values;
  const afterSeconds = Number(after);
  if (/^\d{1,5}$/.test(after) && afterSeconds <= MAX_SECONDS) return { again, afterSeconds };
  throw new UsageError(`--after ${after} cannot be used: it is a number of seconds, 0 to ${MAX_SECONDS}.`);
}
