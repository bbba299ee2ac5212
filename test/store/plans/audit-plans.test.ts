import type { Document } from 'mongodb';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { AUDIT_ACTIONS, type AuditAction } from '../../../src/model/audit.ts';
import { type AuditFilter, filterOf } from '../../../src/store/audit/audit-log.ts';
import { serviceFixture } from '../../service.ts';

const LINES = Number(process.env.AUDIT_LINES ?? 20_000);
const PAGE = 26;

const service = serviceFixture();
const [tenant, other, entity] = [v7(), v7(), v7()] as const;
const actions = Object.keys(AUDIT_ACTIONS) as AuditAction[];
const begin = Date.parse('2026-01-01T00:00:00Z');
const log = () => service.stores.db.collection<Document & { _id: string }>('audit_log');

beforeAll(async () => {
  // One entity that is refused again and again, and deleted once at the beginning.
  for (let from = 0; from < LINES; from += 10_000) {
    const batch = Array.from({ length: Math.min(10_000, LINES - from) }, (_, i) => {
      const at = new Date(begin + (from + i) * 1_000);
      const isSame = i % 2 === 0;
      const action = from + i === 0 ? 'document.deleted' : isSame ? 'access.refused' : actions[i % actions.length];
      const _id = v7({ msecs: at.getTime() });
      return { _id, tenant: i % 10 === 9 ? other : tenant, at, action, entity: isSame ? entity : v7() };
    });
    await log().insertMany(batch, { ordered: false });
  }
}, 120_000);

async function examined(
  filter: AuditFilter,
  before?: string,
): Promise<{ keys: number; found: number; sorts: boolean }> {
  const plan = await log()
    .find(filterOf(filter, before) as never)
    .sort({ _id: -1 })
    .limit(PAGE)
    .explain('executionStats');
  const { totalKeysExamined: keys, nReturned: found } = plan.executionStats;
  return { keys, found, sorts: JSON.stringify(plan.queryPlanner.winningPlan).includes('"SORT"') };
}

describe('a page of the audit log', () => {
  const middle = new Date(begin + (LINES / 2) * 1_000);
  it.each<[string, AuditFilter, number]>([
    ['of a tenant', { tenant }, PAGE],
    ['since a time', { tenant, from: middle }, PAGE],
    ['up to a time', { tenant, to: middle }, PAGE],
    ['of one action', { tenant, action: 'access.refused' }, PAGE],
    ['of a rare action', { tenant, action: 'database.restored', to: middle }, PAGE],
    ['of an entity', { tenant, entity }, PAGE],
    ['of an entity up to a time', { tenant, entity, to: middle }, PAGE],
    ['of one action on an entity with many others', { tenant, entity, action: 'document.deleted' }, 1],
    ['of an entity that nothing happened to', { tenant, entity: v7() }, 0],
  ])('%s reads about as many keys as it shows, and sorts nothing', async (_what, filter, most) => {
    const { keys, found, sorts } = await examined(filter);
    expect(found).toBeLessThanOrEqual(most);
    expect([keys <= found + 3 * actions.length, sorts]).toEqual([true, false]);
  });

  it('reads no more far from the newest', async () => {
    const before = `${v7({ msecs: middle.getTime() })}`;
    for (const filter of [{ tenant }, { tenant, entity }, { tenant, action: 'access.refused' as const }]) {
      const { keys, found } = await examined(filter, before);
      expect([found, keys <= PAGE + 3 * actions.length]).toEqual([PAGE, true]);
    }
  });
});
