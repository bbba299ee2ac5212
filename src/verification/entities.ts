import { nameKey } from '../model/catalogs.ts';
import type {
  Stored,
  StoredAttachment,
  StoredCatalogRecord,
  StoredOrganization,
  StoredReferenceRecord,
  StoredSynonym,
  StoredWorkspace,
} from '../model/entity/entity.ts';
import { visibleKey } from '../model/entity/organization-keys.ts';
import { partsOf } from '../model/fields/text-parts.ts';
import { list, placeFaults, sameMembers, versionFaults } from './entity-checks.ts';
import type { CollectionCheck } from './finding.ts';

type Faults = (readonly [id: string, fault: string])[];

type Named = Stored & { readonly name_key: string; readonly parts?: readonly string[] };

const nameFaults = (batch: readonly Named[]): Faults =>
  batch.flatMap(({ _id, type, name_key, parts = [], body }): Faults => {
    const wanted = nameKey(String(body.name));
    const wantedParts = partsOf(type, { ...body, name: wanted });
    return [
      ...(name_key === wanted
        ? []
        : [[_id, `is found by the name "${name_key}", and its body means "${wanted}".`] as const]),
      ...(sameMembers(parts, wantedParts)
        ? []
        : [[_id, `is found by other parts of its texts than its body has: ${list(parts)}.`] as const]),
    ];
  });

/** Organizations: their keys match their names, and no version is missing. */
export const organizations: CollectionCheck<StoredOrganization> = {
  collection: 'organizations',
  faults: async (batch, snapshot) => [
    ...nameFaults(batch),
    ...visibleFaults(batch),
    ...(await versionFaults(batch, snapshot)),
  ],
};

/** An organization whose name looks like an older one's has no such key. */
const visibleFaults = (batch: readonly StoredOrganization[]): Faults =>
  batch.flatMap(({ _id, visible_key, body }): Faults => {
    const wanted = visibleKey(String(body.name));
    return visible_key === undefined || visible_key === wanted
      ? []
      : [[_id, `is compared with others as "${visible_key}", and its body looks like "${wanted}".`]];
  });

/** Workspaces: both parties exist and are its readers; only they have used, accepted or declined it. */
export const workspaces: CollectionCheck<StoredWorkspace> = {
  collection: 'workspaces',
  async faults(batch, snapshot) {
    const ids = batch.flatMap(({ parties: { client, vendor } }) => [client.id, vendor.id]);
    const [found, versions] = await Promise.all([
      snapshot.find<StoredOrganization>('organizations', { _id: { $in: ids } } as never, ['tenant']),
      versionFaults(batch, snapshot),
    ]);
    const tenants = new Map(found.map(({ _id, tenant }) => [_id, tenant]));
    const parties = batch.flatMap((workspace): Faults => {
      const {
        _id,
        parties: { client, vendor },
        readers,
        left_by = [],
      } = workspace;
      const wanted = [client.tenant, vendor.tenant];
      return [
        ...[client, vendor]
          .filter(({ id, tenant }) => tenants.get(id) !== tenant && !(left_by.includes(id) && !tenants.has(id)))
          .map(({ id, tenant }) => [_id, `has the party ${id}, which is no organization of ${tenant}.`] as const),
        ...(sameMembers(readers, wanted)
          ? []
          : [[_id, `has the readers ${list(readers)}, and its parties are ${list(wanted)}.`] as const]),
        ...acceptanceFaults(workspace),
      ];
    });
    return [...parties, ...versions];
  },
};

/** Tenants that used a workspace have accepted it, those that accepted it have not declined it, and all of them are parties. */
function acceptanceFaults({ _id, readers, used_by = [], accepted_by = [], declined_by = [] }: StoredWorkspace): Faults {
  const faultsOf = (field: string, tenants: readonly string[], allowed: readonly string[], why: string): Faults => {
    const wrong = tenants.filter((tenant) => !allowed.includes(tenant));
    return wrong.length === 0 ? [] : [[_id, `has ${list(wrong)} in ${field}, ${why}.`]];
  };
  const others = readers.filter((tenant) => !accepted_by.includes(tenant));
  return [
    ...faultsOf('accepted_by', accepted_by, readers, 'which is no party of it'),
    ...faultsOf('used_by', used_by, accepted_by, 'and not in accepted_by'),
    ...faultsOf('declined_by', declined_by, others, 'which is no party of it, or accepted it'),
  ];
}

/** Catalog records: their workspace exists, one of its parties owns them, and their name keys match their names. */
export const catalogRecords: CollectionCheck<StoredCatalogRecord> = {
  collection: 'catalog_records',
  async faults(batch, snapshot) {
    const [places, versions] = await Promise.all([placeFaults(batch, snapshot), versionFaults(batch, snapshot)]);
    return [...nameFaults(batch.filter(({ body }) => typeof body.name === 'string')), ...places, ...versions];
  },
};

/** Synonyms: both records exist, in the same workspace and catalog. */
export const synonyms: CollectionCheck<StoredSynonym> = {
  collection: 'synonyms',
  async faults(batch, snapshot) {
    const ids = [...new Set(batch.flatMap(({ items }) => items))];
    const fields = ['workspace', 'xtype'];
    const [found, places] = await Promise.all([
      snapshot.find<StoredCatalogRecord>('catalog_records', { _id: { $in: ids } } as never, fields),
      placeFaults(batch, snapshot),
    ]);
    const records = new Map(found.map((record) => [record._id, record]));
    const links = batch.flatMap(({ _id, items, workspace, xtype }) =>
      items
        .filter((id) => records.get(id)?.workspace !== workspace || records.get(id)?.xtype !== xtype)
        .map((id) => [_id, `links the record ${id}, which is not in the catalog ${xtype} of its workspace.`] as const),
    );
    return [...links, ...places];
  },
};

/** Attachments: their documents and files exist. */
export const attachments: CollectionCheck<StoredAttachment> = {
  collection: 'attachments',
  async faults(batch, snapshot) {
    const documentIds = batch.flatMap(({ parent_id }) => parent_id ?? []);
    const fileIds = batch.map(({ file }) => file.id);
    const [documents, files, places, versions] = await Promise.all([
      snapshot.find<Stored>('documents', { _id: { $in: documentIds } } as never, ['workspace']),
      snapshot.byIds<StoredFileRecord>('fs.files', fileIds),
      placeFaults(batch, snapshot),
      versionFaults(batch, snapshot),
    ]);
    const workspaceOf = new Map(documents.map(({ _id, workspace }) => [_id, workspace]));
    const fileOf = new Map(files.map((file) => [file._id, file]));
    const relations = batch.flatMap((attachment): Faults => {
      const { _id, parent_id, workspace, file, body } = attachment;
      const record = fileOf.get(file.id);
      const isSame =
        record?.metadata.sha256 === file.sha256 && record.chunkSize === file.chunk_size && record.length === body.size;
      return [
        ...(workspaceOf.get(parent_id ?? '') === workspace
          ? []
          : [[_id, `is attached to ${parent_id}, which is no document of its workspace.`] as const]),
        ...(isSame ? [] : [[_id, fileFault(file.id, record !== undefined)] as const]),
      ];
    });
    return [...relations, ...places, ...versions];
  },
};

/** A document of `fs.files`. */
export interface StoredFileRecord {
  readonly _id: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly metadata: { readonly sha256: string };
}

const fileFault = (id: string, isThere: boolean): string =>
  isThere ? `differs from its file ${id} in size, chunk size or SHA-256.` : `has the file ${id}, which is not there.`;

/** Reference records: readable by their tenant alone, their name keys match their names, and no version is missing. */
export const referenceRecords: CollectionCheck<StoredReferenceRecord> = {
  collection: 'reference_records',
  async faults(batch, snapshot) {
    const readers = batch
      .filter((record) => !sameMembers(record.readers, [record.tenant]))
      .map(
        (record) => [record._id, `has the readers ${list(record.readers)}, and belongs to ${record.tenant}.`] as const,
      );
    return [...nameFaults(batch), ...readers, ...(await versionFaults(batch, snapshot))];
  },
};
