import { readConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import { connectStores } from '../../store/stores.ts';
import { withDatabase } from '../database.ts';
import { PROGRAM } from '../program.ts';

/** Brings the database to the stored form and the indexes of this version, while older gateways go on; 0 if it is there. */
export async function run(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    console.error(`${args.join(' ')} is not expected here: ${PROGRAM} migrate`);
    return 1;
  }
  try {
    const { auditTtlDays, quotas, logLevel } = readConfig(process.env);
    const log = createLog({ logLevel });
    await withDatabase({}, async ({ uri, database }) => {
      const stores = await connectStores({ uri, database, migrations: log, auditTtlDays, quotas });
      await stores.close();
    });
    log.info('the database has the stored form of this version');
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}
