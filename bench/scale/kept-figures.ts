import { connectForLongWork } from '../../src/cli/database.ts';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import type { Stores } from '../../src/store/stores.ts';
import type { Place } from '../contestants.ts';

type Log = (line: string) => void;

/** Computes statistics of all jobs, like a service that finds none; work done by an interrupted fill is not repeated. */
export async function keepStatistics(stores: Stores, place: Place, log: Log): Promise<void> {
  const client = await connectForLongWork(place.uri);
  try {
    const end = startProjectingStatistics(client.db(place.database), logOf(log));
    while (!(await stores.statistics.freshness.asOf()));
    await stores.statistics.freshness.passed();
    await end();
  } finally {
    await client.close();
  }
}

/** Audits the figures of all jobs in the same way. */
export async function keepAudits(stores: Stores, log: Log): Promise<void> {
  const end = startProjectingAudits(stores, logOf(log));
  await stores.audits.freshness.passed();
  await stores.audits.freshness.passed(); // covers the time since the first audits began, which the log forgets later
  await end();
}

const logOf = (log: Log) => {
  const say = (fields: object, message: string): void => log(`  ${message} ${JSON.stringify(fields)}`);
  return { info: say, warn: say };
};
