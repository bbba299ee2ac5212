import { referencesIn } from '../domain/catalogs/catalog-reference.ts';
import { type DocumentKind, derivedParts, documentKind } from '../domain/documents/document-kind.ts';
import { dataApiReferences } from '../domain/documents/storage-form.ts';
import { documentType } from '../model/document-types.ts';
import type { Stored, StoredDocument } from '../model/entity/entity.ts';
import { isTenantPartition } from '../model/entity/partition.ts';
import { sameKeys } from '../model/fields/field-keys.ts';
import { list, placeFaults, sameMembers, versionFaults } from './entity-checks.ts';
import type { CollectionCheck } from './finding.ts';
import type { Snapshot } from './snapshot.ts';
import { countFaults } from './statistics.ts';

/** Documents: their workspaces, parents, records and versions exist, and derived fields match the body. */
export const documents: CollectionCheck<StoredDocument> = {
  collection: 'documents',
  async faults(batch, snapshot) {
    const [places, versions, counts, parents, records] = await Promise.all([
      placeFaults(batch, snapshot),
      versionFaults(batch, snapshot),
      countFaults(batch, snapshot),
      inWorkspaces(
        snapshot,
        'documents',
        batch.flatMap(({ parent_id }) => parent_id ?? []),
      ),
      inWorkspaces(
        snapshot,
        'catalog_records',
        batch.flatMap(({ refs }) => refs),
      ),
    ]);
    return [
      ...places,
      ...versions,
      ...counts,
      ...batch.flatMap((document) =>
        [...relationFaults(document, parents, records), ...bodyFaults(document)].map(
          (fault) => [document._id, fault] as const,
        ),
      ),
    ];
  },
};

type Workspaces = ReadonlyMap<string, string | null>;

async function inWorkspaces(snapshot: Snapshot, name: string, ids: readonly string[]): Promise<Workspaces> {
  const unique = [...new Set(ids)];
  const found = await snapshot.find<Stored>(name, { _id: { $in: unique } } as never, ['workspace']);
  return new Map(found.map(({ _id, workspace }) => [_id, workspace]));
}

function relationFaults(document: StoredDocument, parents: Workspaces, records: Workspaces): string[] {
  const { parent_id, refs, workspace } = document;
  const missing = refs.filter((id) => records.get(id) !== workspace);
  return [
    ...(parent_id !== null && parents.get(parent_id) !== workspace
      ? [`has the parent ${parent_id}, which is no document of its workspace.`]
      : []),
    ...(missing.length > 0 ? [`refers to ${list(missing)}, which are no records of its workspace.`] : []),
  ];
}

/** Fields derived from the body and stored next to it. */
function bodyFaults(document: StoredDocument): string[] {
  const { type, body, refs, keys, parts = [], unique_for, parent_id } = document;
  if (documentType(type) === undefined) return [`has the type ${type}, which this version does not know.`];
  const wanted = derivedParts(documentKind(type), body, recordsIn(documentKind(type), document));
  const parent = typeof body.parent === 'string' ? body.parent.toLowerCase() : null;
  return [
    ...(sameMembers(refs, wanted.refs)
      ? []
      : [`is stored as referring to ${list(refs)}, and its body refers to ${list(wanted.refs)}.`]),
    ...(keys && sameKeys(keys, wanted.keys)
      ? []
      : [`has the keys ${JSON.stringify(keys ?? null)}, and its body means ${JSON.stringify(wanted.keys)}.`]),
    ...(sameMembers(parts, wanted.parts ?? [])
      ? []
      : [`is found by other parts of its texts than its body has: ${list(parts)}.`]),
    ...(unique_for === wanted.unique_for
      ? []
      : [`is unique for ${unique_for ?? 'nothing'}, and its body means ${wanted.unique_for ?? 'nothing'}.`]),
    ...(parent_id === parent ? [] : [`has the parent ${parent_id}, and its body says ${parent}.`]),
  ];
}

/** The records that a body refers to; a job without a workspace keeps its references as sent, and has no records. */
function recordsIn(kind: DocumentKind, { workspace, body, bridge }: StoredDocument): string[] {
  if (workspace === null || isTenantPartition(workspace)) return [];
  return referencesIn(dataApiReferences(kind, bridge), body).flatMap(({ id }) => id ?? []);
}
