import { readConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { repeatMigrations } from '../../store/migrations/run-migrations.ts';
import { connectStores } from '../../store/stores.ts';
import { withDatabase } from '../database.ts';

/**
 * Brings the database to the stored form and the indexes of this version, while older gateways go on; 0 if it is there. With
 * --again, what older gateways have written since is brought to it too.
 */
export async function run(args: readonly string[]): Promise<number> {
  const surplus = args.filter((arg) => arg !== '--again');
  if (surplus.length > 0) {
    console.error(`${surplus.join(' ')} is not expected here: ${PROGRAM} migrate [--again]`);
    return 1;
  }
  try {
    const { auditTtlDays, quotas, logLevel } = readConfig(process.env);
    const log = createLog({ logLevel });
    await withDatabase({}, async ({ uri, database }) => {
      const stores = await connectStores({ uri, database, migrations: log, auditTtlDays, quotas });
      try {
        if (args.includes('--again')) {
          const changed = await repeatMigrations(stores.db, log);
          log.info({ changed }, 'what older gateways have written has the stored form of this version');
        }
      } finally {
        await stores.close();
      }
    });
    log.info('the database has the stored form of this version');
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}
