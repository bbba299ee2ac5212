import type { ListRequest } from '../src/domain/lists/list-request.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { catalogRecordType } from '../src/model/entity/entity-types.ts';
import type { JsonObject } from '../src/model/json.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { changeArgs, checkedWindow, EntityRef, removalArgs, VersionRef, versionArgs } from './building/entity.ts';
import { member } from './building/member.ts';
import { connection, listArgs } from './building/page.ts';
import { OrganizationRef } from './organization.ts';
import { WorkspaceRef } from './workspace.ts';

export const CatalogRecordRef = builder.objectRef<Entity>('CatalogRecord');

CatalogRecordRef.implement({
  description:
    'An item that documents refer to: a vessel, a port, a product, a test, a unit of measure … Each party may have its own record of the same item, with its id in its own system (`xref`); synonyms link these. REST v2 calls it external reference.',
  interfaces: [EntityRef],
  fields: (t) => ({
    catalog: t.string({
      description:
        'The catalog: clients, vendors, products, locations, transports, uom, tests, testMethods, eventTypes, vcfTable or another xtype.',
      resolve: (record) => String(record.at('xtype')),
    }),
    name: t.string({
      description: 'The name; references can find the record by it.',
      resolve: member<string>('name'),
    }),
    xref: t.string({
      nullable: true,
      description: "The record's id in the owner's own system; unique for the owner in the catalog.",
      resolve: member('xref'),
    }),
    owner: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The party that created the record.',
      resolve: (record, _args, { load }) => load.organization(record.at('ownerParty')),
    }),
    item: t.field({
      type: 'JSON',
      description: 'The body without workspace, xtype and ownerParty: name, xref and any other members.',
      resolve: (record, _args, { domain }) => domain.catalogRecords.item(record),
    }),
    synonyms: t.field({
      type: [CatalogRecordRef],
      description: 'The records that are linked to this one as its synonyms.',
      resolve: (record, _args, { load }) => load.synonyms(record),
    }),
    synonymGroup: t.field({
      type: [CatalogRecordRef],
      description:
        'Every record that describes the same item: all records connected by synonym links, directly or indirectly, including this one.',
      resolve: (record, _args, { load }) => load.synonymGroup(record),
    }),
    workspace: t.field({
      type: WorkspaceRef,
      nullable: true,
      description: 'The workspace of the catalog.',
      resolve: (record, _args, { load }) => load.workspace(record.workspaceId),
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (record, window, { load }) => load.versions(record, window),
    }),
  }),
});

const CatalogRecordConnection = connection('CatalogRecord', CatalogRecordRef);

const checkedRecords = checked((args: ListRequest, { domain }) => domain.catalogRecords.checkList(args));

builder.objectField(WorkspaceRef, 'catalogRecords', (t) =>
  t.field({
    type: CatalogRecordConnection,
    description: "The records of the workspace's catalogs; `where: { catalog: … }` selects one catalog.",
    args: listArgs(catalogRecordType),
    extensions: checkedRecords,
    resolve: ({ id }, args, { domain }) => domain.catalogRecords.list({ ...args, workspace: id }),
  }),
);

const placeArgs = () =>
  builder.args((t) => ({
    workspace: t.field({ type: 'UUID', required: true, description: 'The workspace whose catalogs they are.' }),
    catalog: t.string({ description: 'The catalog; a record of another one is NOT_FOUND.' }),
    id: t.field({ type: 'UUID', required: true, description: 'The id of the record.' }),
  }));

builder.queryFields((t) => ({
  catalogRecord: t.field({
    type: CatalogRecordRef,
    nullable: true,
    description: 'One catalog record.',
    args: placeArgs(),
    resolve: (_root, place, { domain }) => domain.catalogRecords.get(place),
  }),
  catalogRecords: t.field({
    type: CatalogRecordConnection,
    description: 'The records of one catalog of a workspace, or of all its catalogs.',
    args: {
      workspace: t.arg({ type: 'UUID', required: true, description: 'The workspace whose catalogs they are.' }),
      catalog: t.arg.string({
        description: 'The catalog; methods and timelogEvents are aliases of testMethods and eventTypes.',
      }),
      ...listArgs(catalogRecordType),
    },
    extensions: checkedRecords,
    resolve: (_root, args, { domain }) => domain.catalogRecords.list(args),
  }),
}));

builder.mutationFields((t) => ({
  createCatalogRecord: t.field({
    type: CatalogRecordRef,
    description:
      "Adds a record, owned by the caller's party. XREF_TAKEN if the owner already has a record with that xref in the catalog.",
    args: {
      workspace: t.arg({ type: 'UUID', required: true, description: 'The workspace whose catalogs they are.' }),
      catalog: t.arg.string({ required: true, description: 'The catalog.' }),
      body: t.arg({ type: 'CatalogRecordBody', required: true, description: 'The record.' }),
    },
    resolve: (_root, { workspace, catalog, body }, { domain }) =>
      domain.catalogRecords.create(workspace, catalog, body),
  }),
  updateCatalogRecord: t.field({
    type: CatalogRecordRef,
    description: 'Changes a record by a JSON Merge Patch; its workspace cannot be changed.',
    args: {
      ...placeArgs(),
      patch: t.arg({ type: 'CatalogRecordPatch', required: true, description: 'The changes; null removes a member.' }),
      ...changeArgs(),
    },
    extensions: checked(
      ({ workspace, patch }: { readonly workspace?: string; readonly patch?: JsonObject }, { domain }) => {
        if (patch) domain.catalogRecords.checkPatch(workspace, patch);
      },
    ),
    resolve: (_root, { workspace, catalog, id, patch, ...expectation }, { domain }) =>
      domain.catalogRecords.update({ workspace, catalog, id }, patch, expectation),
  }),
  deleteCatalogRecord: t.field({
    type: CatalogRecordRef,
    description: 'Deletes a record permanently. IN_USE while documents refer to it.',
    args: { ...placeArgs(), ...removalArgs() },
    resolve: (_root, { workspace, catalog, id, ...expectation }, { domain }) =>
      domain.catalogRecords.remove({ workspace, catalog, id }, expectation),
  }),
}));
