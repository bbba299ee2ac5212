import type { GraphQLSchema } from 'graphql';
import type { Change } from '../src/domain/documents/change.ts';
import type { DocumentPlace } from '../src/domain/documents/documents.ts';
import type { ListRequest } from '../src/domain/lists/list-request.ts';
import { JOB_TYPE } from '../src/model/document-types/job.ts';
import { anyDocument, DOCUMENT_TYPES } from '../src/model/document-types.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { graphqlTypeName } from '../src/model/entity/graphql-names.ts';
import type { JsonObject } from '../src/model/json.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { changeArgs, checkedWindow, EntityRef, removalArgs, VersionRef, versionArgs } from './building/entity.ts';
import { connection, listArgs } from './building/page.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { WorkspaceRef } from './workspace.ts';

export const DocumentRef = builder.interfaceRef<Entity>('Document');

DocumentRef.implement({
  description: 'A structured object that belongs to one workspace; its body satisfies the JSON Schema of its type.',
  interfaces: [EntityRef],
  resolveType: (document) => GRAPHQL_NAMES.get(document.type),
  fields: (t) => ({
    workspace: t.field({
      type: WorkspaceRef,
      nullable: true,
      description: 'The id of its workspace.',
      resolve: (document, _args, { load }) => load.workspace(document.workspaceId),
    }),
    parent: t.field({
      type: DocumentRef,
      nullable: true,
      description: 'The document that this one belongs to, such as the job of a result.',
      resolve: (document, _args, { load }) => load.document(document.parentId),
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (document, window, { load }) => load.versions(document, window),
    }),
  }),
});

const GRAPHQL_NAMES = new Map(DOCUMENT_TYPES.map(({ name, noun }) => [name, graphqlTypeName(noun)]));

/** Returns the schema if it has a GraphQL type for each document type; throws otherwise. */
export function requireDocumentTypes(schema: GraphQLSchema): GraphQLSchema {
  for (const [type, name] of GRAPHQL_NAMES) {
    if (schema.getType(name)) continue;
    throw new Error(
      `The document type ${type} has no GraphQL type ${name}. Declare it in schema/ and import that file in schema/schema.ts (CONTRIBUTING.md, "Add a document type").`,
    );
  }
  return schema;
}

/** The valid arguments of a change. */
interface PatchArgs extends Partial<DocumentPlace> {
  readonly job?: string;
  readonly patch?: JsonObject;
}

/** Extensions of a change of a document, of one type if that is given. */
export const checkedPatch = (type?: string, change: Change = {}) =>
  checked(async ({ workspace, job: parent, id, patch }: PatchArgs, { domain }) => {
    if (patch) await domain.documents.checkPatch({ workspace, parent, id, type }, patch, change);
  });

/** Extensions of a creation of documents, of any type. */
const checkedType = checked(({ type }: { readonly type?: string }, { domain }) => {
  if (type !== undefined) domain.documents.checkType(type);
});

/** Extensions of a list of documents of one type. */
export const checkedDocuments = (type: string) =>
  checked((args: ListRequest, { domain }) => domain.documents.checkList({ ...args, type }));

const DocumentConnection = connection('Document', DocumentRef);

builder.objectField(CatalogRecordRef, 'usedBy', (t) =>
  t.field({
    type: [DocumentRef],
    description: 'The newest documents of one type that refer to the record.',
    args: {
      type: t.arg.string({
        required: true,
        defaultValue: JOB_TYPE,
        description: 'The document type, such as svc.inspection.qualityResult.',
      }),
      first: t.arg.int({ required: true, defaultValue: 25, description: 'The maximum number of items, 1 to 100.' }),
    },
    extensions: checked((args: { readonly type: string; readonly first: number }, { domain }) =>
      domain.relatedDocuments.checkUsers(args),
    ),
    resolve: (record, { type, first }, { load }) => load.usedBy(record, type, first),
  }),
);

/** Identifies a document; NOT_FOUND if it is in another workspace. */
export const documentPlaceArgs = () =>
  builder.args((t) => ({
    workspace: t.field({ type: 'UUID', description: 'A document of another workspace is NOT_FOUND.' }),
    id: t.field({ type: 'UUID', required: true, description: 'The id of the document.' }),
  }));

builder.queryFields((t) => ({
  document: t.field({
    type: DocumentRef,
    nullable: true,
    description: "One document of any type; FORBIDDEN if the caller's tenant may not read it.",
    args: documentPlaceArgs(),
    resolve: (_root, place, { domain }) => domain.documents.get(place),
  }),
  documents: t.field({
    type: DocumentConnection,
    description: 'The documents of one type that are visible to the caller, optionally in one workspace.',
    args: {
      workspace: t.arg({ type: 'UUID', description: 'Only those of this workspace.' }),
      type: t.arg.string({ required: true, description: 'The document type, such as svc.inspection.job.' }),
      ...listArgs(anyDocument),
    },
    extensions: checked(({ type, ...request }: ListRequest & { readonly type?: string }, { domain }) => {
      if (type !== undefined) domain.documents.checkList({ ...request, type });
    }),
    resolve: (_root, args, { domain }) => domain.documents.list(args),
  }),
}));

builder.mutationFields((t) => ({
  createDocument: t.field({
    type: DocumentRef,
    description: 'Creates a document. Catalog records that it refers to and that do not exist yet are created with it.',
    args: {
      workspace: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }),
      type: t.arg.string({ required: true, description: 'The document type, such as svc.inspection.job.' }),
      body: t.arg({ type: 'DocumentBody', required: true, description: 'The body.' }),
    },
    extensions: checkedType,
    resolve: (_root, args, { domain }) => domain.documents.create({ ...args, requireFields: true }),
  }),
  createDocuments: t.field({
    type: [DocumentRef],
    description: 'Stores up to 10,000 documents of one type, all or none; errors name the index of the body.',
    extensions: { ...checkedType, cost: { size: { itemsOf: 'bodies' } } },
    args: {
      workspace: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }),
      type: t.arg.string({ required: true, description: 'The document type of all of them.' }),
      bodies: t.arg({ type: ['DocumentBody'], required: true, description: 'The bodies.' }),
    },
    resolve: (_root, args, { domain }) => domain.documents.createMany(args),
  }),
  updateDocument: t.field({
    type: DocumentRef,
    description: 'Changes a document by a JSON Merge Patch. A patch that changes nothing creates no new version.',
    args: {
      ...documentPlaceArgs(),
      patch: t.arg({ type: 'DocumentPatch', required: true, description: 'The changes; null removes a member.' }),
      ...changeArgs(),
    },
    extensions: checkedPatch(),
    resolve: (_root, { workspace, id, patch, ...expectation }, { domain }) =>
      domain.documents.update({ workspace, id }, patch, expectation),
  }),
  deleteDocument: t.field({
    type: DocumentRef,
    description: 'Deletes a document and everything below it permanently, and returns its last version.',
    args: { ...documentPlaceArgs(), ...removalArgs() },
    resolve: (_root, { workspace, id, ...expectation }, { domain }) =>
      domain.documents.remove({ workspace, id }, expectation),
  }),
}));
