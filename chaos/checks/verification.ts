import { verify } from '../../src/verification/verify.ts';
import type { Evidence, Finding } from './evidence.ts';

/** What `doctor --verify` finds in the database. */
export async function checkVerification({ mongo, db }: Evidence): Promise<Finding[]> {
  const { findings } = await verify({ client: mongo, db });
  return findings.map(({ collection, id, fault }) => ({ kind: 'wrong', text: `${collection} ${id} ${fault}` }));
}
