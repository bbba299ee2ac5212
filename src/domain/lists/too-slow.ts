import { hasErrorCode, timedOut } from '../../errors.ts';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import { RESULT_TYPES } from '../../model/document-types.ts';
import { catalogRecordType } from '../../model/entity/entity-types.ts';
import { ranOut } from '../../store/connection/bounded-writes.ts';
import type { Query } from '../../store/entities/query.ts';

/** The fields that indexes support, by entity type. */
const QUICK: Readonly<Record<string, string>> = {
  [JOB_TYPE]:
    'status, activity, refNumber, tripNumber, xref, eta, etc, location, transports, cargo.product, client, vendor',
  ...Object.fromEntries(RESULT_TYPES.map(({ name }) => [name, 'parent (the job), test, or a range of dates'])),
  [catalogRecordType.name]: 'the catalog, name, xref',
};

const BESIDES = 'Indexes also serve created_at, modified_at, and `contains` with at least five characters.';

/** The outcome of a list's reads; if MongoDB took too long, TIMED_OUT says which filter to add. */
export async function explainingTimeouts<T>(query: Query, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const isLate = ranOut(error) || hasErrorCode(error, 'TIMED_OUT');
    throw isLate ? timedOut(adviceFor(query)) : error;
  }
}

function adviceFor({ scope: { workspace, type = '' } }: Query): string {
  const quick = QUICK[type];
  if (quick === undefined) return 'Add a filter that fewer entities fit.';
  return `${workspace === undefined ? 'Name a workspace, or add' : 'Add'} a filter by one of: ${quick}. ${BESIDES}`;
}
