import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, fileContent, list, one } from '../declare/reply.ts';
import { constant, fromIfMatch, fromPath } from '../declare/source.ts';
import { fileForDocument } from '../declare/upload-operation.ts';
import { selectionOf, type ViewObject } from '../declare/view.ts';
import { legacy } from './family.ts';

const workspace = fromPath('workspace_id');
const document = fromPath('job_id');
const id = fromPath('file_id');
const documentType = constant('svc.inspection.job');
const job = { workspace, document, documentType };
const place = '$workspace: UUID!, $document: UUID!, $documentType: String!';
const here = 'workspace: $workspace, document: $document, documentType: $documentType';

/** The body of a file (interface, "File"). */
const file = { caption: 'caption', location: 'location', format: 'format' };
/** The views of creation and lists, and of get and delete (contract §11, "Legacy files"). */
const idAndFile: ViewObject = { id: 'id', body: file };
const fields = selectionOf(idAndFile);

/** /workspaces/{workspace_id}/jobs/{job_id}/files: the attachments of a job. */
export const files: readonly Endpoint[] = [
  endpoint(legacy, {
    id: 'legacy.files.list',
    route: 'GET /workspaces/{workspace_id}/jobs/{job_id}/files',
    summary: 'Lists the files of a job.',
    operation: `query LegacyFilesList(${place}, ${pageVariables}) {
      attachments(${here}, ${pageArguments}) { ${page(fields)} }
    }`,
    variables: { ...job, ...pageSources() },
    reply: list(idAndFile, 'Attachment'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.files.create',
    route: 'POST /workspaces/{workspace_id}/jobs/{job_id}/files',
    summary: 'Adds a file to a job.',
    operation: `mutation LegacyFilesCreate(${place}, $file: UUID!) {
      createAttachment(${here}, file: $file) { ${fields} }
    }`,
    variables: { ...job, file: fileForDocument('LegacyFiles') },
    reply: created(idAndFile),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
  }),
  endpoint(legacy, {
    id: 'legacy.files.get',
    route: 'GET /workspaces/{workspace_id}/jobs/{job_id}/files/{file_id}',
    summary: 'Returns the descriptor of a file.',
    operation: `query LegacyFilesGet(${place}, $id: UUID!) { attachment(${here}, id: $id) { ${fields} } }`,
    variables: { ...job, id },
    reply: one(file),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.files.content',
    route: 'GET /workspaces/{workspace_id}/jobs/{job_id}/files/{file_id}/content',
    summary: 'Returns the contents of a file, whole or one range of them.',
    operation: `query LegacyFilesContent(${place}, $id: UUID!) { attachment(${here}, id: $id) { content } }`,
    variables: { ...job, id },
    reply: fileContent('content'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  }),
  endpoint(legacy, {
    id: 'legacy.files.delete',
    route: 'DELETE /workspaces/{workspace_id}/jobs/{job_id}/files/{file_id}',
    summary: 'Deletes a file permanently and returns its last descriptor.',
    operation: `mutation LegacyFilesDelete(${place}, $id: UUID!, $expectedVersion: [String!]) {
      deleteAttachment(${here}, id: $id, expectedVersion: $expectedVersion) { ${fields} }
    }`,
    variables: { ...job, id, expectedVersion: fromIfMatch },
    reply: one(file),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
];
