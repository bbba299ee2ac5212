import { isAuditAction } from '../model/audit.ts';
import type { StoredAuditEntry } from '../store/audit/stored-entry.ts';
import type { StoredTombstone } from '../store/audit/tombstones.ts';
import { versionFaults } from './entity-checks.ts';
import type { CollectionCheck } from './finding.ts';

/** MongoDB removes expired documents one by one: a tombstone and its versions may go minutes apart. */
const MARGIN_MS = 60 * 60_000;

/** Tombstones: every earlier version is kept too, and expires at the same time. */
export const tombstones: CollectionCheck<StoredTombstone> = {
  collection: 'tombstones',
  async faults(batch, snapshot) {
    const kept = batch.filter(({ expires_at }) => expires_at.getTime() > Date.now() + MARGIN_MS);
    const ids = kept.flatMap(({ _id, versions_left }) => (versions_left ? [] : _id));
    const unlimited = { entity: { $in: ids }, expires_at: { $exists: false } } as never;
    const [gaps, left] = await Promise.all([
      versionFaults(kept, snapshot),
      snapshot.find<{ _id: string; entity: string }>('versions', unlimited, ['entity']),
    ]);
    return [
      ...gaps,
      ...left.map(({ _id, entity }) => [entity, `has the version ${_id}, which is kept for ever.`] as const),
    ];
  },
};

/** The audit log: entries have a known action, an id that begins with the time, and an expiry. */
export const auditLog: CollectionCheck<StoredAuditEntry> = {
  collection: 'audit_log',
  async faults(batch) {
    return batch.flatMap(({ _id, action, at, expires_at }) => {
      const time = Number.parseInt(_id.slice(0, 8) + _id.slice(9, 13), 16);
      return [
        ...(isAuditAction(action)
          ? []
          : [[_id, `has the action ${action}, which this version does not know.`] as const]),
        ...(time === at.getTime() ? [] : [[_id, `is of ${at.toISOString()}, and its id of another time.`] as const]),
        ...(expires_at > at ? [] : [[_id, 'is over before it began.'] as const]),
      ];
    });
  },
};
