import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, fileContent, list, one } from '../declare/reply.ts';
import { fromForm, fromIfMatch, fromPath } from '../declare/source.ts';
import { fileForDocument } from '../declare/upload-operation.ts';
import { v2 } from './family.ts';
import { envelope, envelopeFields } from './views.ts';

const workspace = fromPath('workspace_id');
const document = fromPath('document_id');
const id = fromPath('attachment_id');
const place = '$workspace: UUID!, $document: UUID!';
const here = 'workspace: $workspace, document: $document';

/** /v2/workspaces/{workspace_id}/documents/{document_id}/attachments: the files of a document. */
export const attachments: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.attachments.list',
    route: 'GET /workspaces/{workspace_id}/documents/{document_id}/attachments',
    summary: 'Lists the attachments of a document.',
    operation: `query V2AttachmentsList(${place}, ${pageVariables}) {
      attachments(${here}, ${pageArguments}) { ${page(envelopeFields)} }
    }`,
    variables: { workspace, document, ...pageSources() },
    reply: list(envelope, 'Attachment'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.attachments.create',
    route: 'POST /workspaces/{workspace_id}/documents/{document_id}/attachments',
    summary: 'Attaches a file to a document. Other form fields are ignored.',
    operation: `mutation V2AttachmentsCreate(${place}, $file: UUID!, $clientReferenceNumber: String, $vendorReferenceNumber: String, $description: String) {
      createAttachment(${here}, file: $file, clientReferenceNumber: $clientReferenceNumber, vendorReferenceNumber: $vendorReferenceNumber, description: $description) { ${envelopeFields} }
    }`,
    variables: {
      workspace,
      document,
      file: fileForDocument('V2Attachments'),
      clientReferenceNumber: fromForm('clientReferenceNumber', "The client's own id of the file."),
      vendorReferenceNumber: fromForm('vendorReferenceNumber', "The vendor's own id of the file."),
      description: fromForm('description', 'What the file is.'),
    },
    reply: created(envelope, 'Attachment'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
  }),
  endpoint(v2, {
    id: 'v2.attachments.get',
    route: 'GET /workspaces/{workspace_id}/documents/{document_id}/attachments/{attachment_id}',
    summary: 'Returns an attachment, without the contents of the file.',
    operation: `query V2AttachmentsGet(${place}, $id: UUID!) { attachment(${here}, id: $id) { ${envelopeFields} } }`,
    variables: { workspace, document, id },
    reply: one(envelope, 'Attachment'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.attachments.content',
    route: 'GET /workspaces/{workspace_id}/documents/{document_id}/attachments/{attachment_id}/content',
    summary: 'Returns the contents of a file, whole or one range of them.',
    operation: `query V2AttachmentsContent(${place}, $id: UUID!) { attachment(${here}, id: $id) { content } }`,
    variables: { workspace, document, id },
    reply: fileContent('content'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  }),
  endpoint(v2, {
    id: 'v2.attachments.delete',
    route: 'DELETE /workspaces/{workspace_id}/documents/{document_id}/attachments/{attachment_id}',
    summary: 'Deletes an attachment and its file permanently, and returns its last version.',
    operation: `mutation V2AttachmentsDelete(${place}, $id: UUID!, $expectedVersion: [String!]) {
      deleteAttachment(${here}, id: $id, expectedVersion: $expectedVersion) { ${envelopeFields} }
    }`,
    variables: { workspace, document, id, expectedVersion: fromIfMatch },
    reply: one(envelope, 'Attachment'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
];
