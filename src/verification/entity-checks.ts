import type { Stored, StoredWorkspace } from '../model/entity/entity.ts';
import { isTenantPartition, tenantPartition } from '../model/entity/partition.ts';
import type { Snapshot } from './snapshot.ts';

type Faults = (readonly [id: string, fault: string])[];

interface Revisions {
  readonly _id: string;
  readonly versions: readonly { readonly id: string; readonly revision: number }[];
}

/** Gaps in the superseded versions of entities: each revision before the current one must exist. */
export async function versionFaults(batch: readonly Stored[], snapshot: Snapshot): Promise<Faults> {
  const stages = [
    { $match: { entity: { $in: batch.map(({ _id }) => _id) } } },
    { $group: { _id: '$entity', versions: { $push: { id: '$_id', revision: '$revision' } } } },
  ];
  const found = new Map<string, Revisions['versions']>();
  for await (const { _id, versions } of snapshot.stream<Revisions>('versions', stages)) found.set(_id, versions);
  return batch.flatMap((entity): Faults => {
    // An interrupted change may already have stored the current version there; the next change finds it.
    const versions = (found.get(entity._id) ?? []).filter(({ id }) => id !== entity.version_id);
    const revisions = versions.map(({ revision }) => revision).sort((a, b) => a - b);
    const isWhole = revisions.length === entity.revision - 1 && revisions.every((one, index) => one === index + 1);
    if (isWhole) return [];
    const there =
      revisions.length > 20 ? `${revisions.length} versions` : `the revisions ${revisions.join(', ') || 'none'}`;
    return [[entity._id, `is at revision ${entity.revision}, and of those before there are ${there}.`]];
  });
}

/** Entities whose workspace does not exist, or whose readers differ from those of the workspace. */
export async function placeFaults(batch: readonly Stored[], snapshot: Snapshot): Promise<Faults> {
  const ids = new Set(
    batch.flatMap(({ workspace }) => (workspace === null || isTenantPartition(workspace) ? [] : workspace)),
  );
  const workspaces = await snapshot.find<StoredWorkspace>('workspaces', { _id: { $in: [...ids] } } as never, [
    'readers',
  ]);
  const readersOf = new Map(workspaces.map(({ _id, readers }) => [_id, readers]));
  return batch.flatMap(({ _id, workspace, readers }): Faults => {
    if (workspace === null) return [[_id, 'is in no workspace.']];
    if (isTenantPartition(workspace)) {
      const isOwn = readers.length === 1 && tenantPartition(readers[0] ?? '') === workspace;
      return isOwn ? [] : [[_id, `has the readers ${list(readers)}, and is in the place of a tenant: ${workspace}.`]];
    }
    const wanted = readersOf.get(workspace);
    if (!wanted) return [[_id, `is in the workspace ${workspace}, which is not there.`]];
    if (sameMembers(readers, wanted)) return [];
    return [[_id, `has the readers ${list(readers)}, and its workspace ${workspace} has ${list(wanted)}.`]];
  });
}

/** Whether two lists have the same members, in any order. */
export function sameMembers(some: readonly string[], others: readonly string[]): boolean {
  const set = new Set(others);
  return new Set(some).size === set.size && some.every((one) => set.has(one));
}

/** The members of a list as text. */
export const list = (members: readonly string[]): string => (members.length > 0 ? members.join(', ') : '(none)');
