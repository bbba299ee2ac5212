import { MAX_BULK } from '../../src/model/document-types.ts';
import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, createdArray, list, one } from '../declare/reply.ts';
import { fromBody, fromIfMatch, fromPath, fromPreviousVersion, fromQuery } from '../declare/source.ts';
import { v2 } from './family.ts';
import { envelope, envelopeFields } from './views.ts';

const workspace = fromPath('workspace_id');
const id = fromPath('document_id');

/** /v2/workspaces/{workspace_id}/documents: documents of every type. */
export const documents: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.documents.list',
    route: 'GET /workspaces/{workspace_id}/documents',
    summary: 'Lists the documents of one type in a workspace.',
    operation: `query V2DocumentsList($workspace: UUID!, $type: String!, ${pageVariables}) {
      documents(workspace: $workspace, type: $type, ${pageArguments}) { ${page(envelopeFields)} }
    }`,
    variables: {
      workspace,
      type: fromQuery('type', 'The type of the documents, such as svc.inspection.job.'),
      ...pageSources(),
    },
    reply: list(envelope, 'DocumentBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.documents.create',
    route: 'POST /workspaces/{workspace_id}/documents',
    summary: 'Creates a document. Catalog records that it refers to and that do not exist yet are created with it.',
    operation: `mutation V2DocumentsCreate($workspace: UUID!, $type: String!, $body: DocumentBody!) {
      createDocument(workspace: $workspace, type: $type, body: $body) { ${envelopeFields} }
    }`,
    variables: {
      workspace,
      type: fromBody('type', { kind: 'string', description: 'The type of the document, such as svc.inspection.job.' }),
      body: fromBody('body', { description: 'The body.' }),
    },
    reply: created(envelope, 'DocumentBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'DUPLICATE_DIRECTION', 'QUOTA_EXCEEDED'],
  }),
  endpoint(v2, {
    id: 'v2.documents.createMany',
    route: 'POST /workspaces/{workspace_id}/documents/bulk',
    summary: 'Creates up to 10,000 documents of one type, all or none, and returns them in the order of the request.',
    operation: `mutation V2DocumentsCreateMany($workspace: UUID!, $type: String!, $bodies: [DocumentBody!]!) {
      createDocuments(workspace: $workspace, type: $type, bodies: $bodies) { ${envelopeFields} }
    }`,
    variables: {
      workspace,
      type: fromBody('type', { kind: 'string', description: 'The type of the documents, such as svc.inspection.job.' }),
      bodies: fromBody('body', { kind: 'objects', description: 'The bodies.', most: MAX_BULK }),
    },
    reply: createdArray(envelope, 'DocumentBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'DUPLICATE_DIRECTION', 'QUOTA_EXCEEDED'],
  }),
  endpoint(v2, {
    id: 'v2.documents.get',
    route: 'GET /workspaces/{workspace_id}/documents/{document_id}',
    summary: 'Returns a document.',
    operation: `query V2DocumentsGet($workspace: UUID!, $id: UUID!) {
      document(workspace: $workspace, id: $id) { ${envelopeFields} }
    }`,
    variables: { workspace, id },
    reply: one(envelope, 'DocumentBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.documents.update',
    route: 'PATCH /workspaces/{workspace_id}/documents/{document_id}',
    summary: 'Changes a document by a JSON Merge Patch in the member body.',
    operation: `mutation V2DocumentsUpdate($workspace: UUID!, $id: UUID!, $patch: DocumentPatch!, $expectedVersion: [String!], $previousVersion: UUID) {
      updateDocument(workspace: $workspace, id: $id, patch: $patch, expectedVersion: $expectedVersion, previousVersion: $previousVersion) { ${envelopeFields} }
    }`,
    variables: {
      workspace,
      id,
      patch: fromBody('body'),
      expectedVersion: fromIfMatch,
      previousVersion: fromPreviousVersion,
    },
    reply: one(envelope, 'DocumentBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VERSION_CONFLICT', 'DUPLICATE_DIRECTION', 'PRECONDITION_FAILED'],
  }),
  endpoint(v2, {
    id: 'v2.documents.delete',
    route: 'DELETE /workspaces/{workspace_id}/documents/{document_id}',
    summary: 'Deletes a document and everything that belongs to it permanently, and returns its last version.',
    operation: `mutation V2DocumentsDelete($workspace: UUID!, $id: UUID!, $expectedVersion: [String!]) {
      deleteDocument(workspace: $workspace, id: $id, expectedVersion: $expectedVersion) { ${envelopeFields} }
    }`,
    variables: { workspace, id, expectedVersion: fromIfMatch },
    reply: one(envelope, 'DocumentBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
];
