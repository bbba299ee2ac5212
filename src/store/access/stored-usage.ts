import type { Db } from 'mongodb';
import { COUNTED, KINDS, NO_QUOTAS, type Quotas, storedUsage } from './quota-kinds.ts';

interface Row {
  readonly _id: string;
  readonly sum: number;
}

/** What one tenant, or every tenant, has stored. */
export async function countStored(db: Db, tenant?: string): Promise<Map<string, Quotas>> {
  const found = new Map<string, Quotas>();
  for (const kind of KINDS) {
    const rows = db.collection(COUNTED[kind].collection).aggregate<Row>(storedUsage(kind, tenant));
    for await (const { _id, sum } of rows) found.set(_id, { ...(found.get(_id) ?? NO_QUOTAS), [kind]: sum });
  }
  return found;
}
