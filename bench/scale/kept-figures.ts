import { connectForLongWork } from '../../src/cli/database.ts';
import { startKeepingAudits } from '../../src/figure-audit-keeping/audit-keeper.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import type { Stores } from '../../src/store/stores.ts';
import type { Place } from '../contestants.ts';

/** Counts statistics and audits the figures of all jobs, as a service does that finds none. */
export async function keepFigures(stores: Stores, place: Place, log: (line: string) => void): Promise<void> {
  const say = (fields: object, message: string): void => log(`  ${message} ${JSON.stringify(fields)}`);
  const client = await connectForLongWork(place.uri);
  try {
    const end = startProjectingStatistics(client.db(place.database), { info: say, warn: say });
    while (!(await stores.statistics.freshness.asOf())) log('  statistics are being counted');
    await end();
  } finally {
    await client.close();
  }
  const end = startKeepingAudits(stores, { info: say, warn: say });
  await stores.audits.freshness.passed();
  await end();
}
