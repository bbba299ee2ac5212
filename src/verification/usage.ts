import { PROGRAM } from '../model/command-line.ts';
import { type QuotaKind, storedUsage, USAGE_COLLECTIONS } from '../store/access/quota-kinds.ts';
import { USAGE_ID } from '../store/access/tenant-usage.ts';
import type { WholeCheck } from './finding.ts';

type Usage = Readonly<Partial<Record<QuotaKind, number>>> & { readonly _id: string };

/** The usage kept for each tenant's quotas matches what it has stored; without quotas, nothing is kept. */
export const tenantUsage: WholeCheck = {
  collection: 'tenant_usage',
  async *findings(snapshot) {
    const [isKept] = await snapshot.find('meta', { _id: USAGE_ID } as never, []);
    if (!isKept) return;
    const kept = await snapshot.find<Usage>('tenant_usage', {}, ['documents', 'workspaces', 'fileBytes']);
    const byTenant = new Map(kept.map((usage) => [usage._id, usage]));
    for (const { kind, collection } of USAGE_COLLECTIONS) {
      const stored = new Map<string, number>();
      for await (const { _id, sum } of snapshot.stream<{ _id: string; sum: number }>(collection, storedUsage(kind))) {
        stored.set(_id, sum);
      }
      for (const tenant of new Set([...byTenant.keys(), ...stored.keys()])) {
        const [told, found] = [byTenant.get(tenant)?.[kind] ?? 0, stored.get(tenant) ?? 0];
        if (told === found) continue;
        const fault = `says ${told} ${kind}, and there are ${found}: ${PROGRAM} usage --rebuild sets it right.`;
        yield { collection: 'tenant_usage', id: tenant, fault };
      }
    }
  },
};
