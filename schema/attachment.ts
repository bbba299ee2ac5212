import type { AttachmentDocument } from '../src/domain/attachments.ts';
import type { ListRequest } from '../src/domain/lists/list-request.ts';
import { attachmentType } from '../src/model/entity/attachment-type.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { checkedWindow, EntityRef, removalArgs, VersionRef, versionArgs } from './building/entity.ts';
import { connection, listArgs } from './building/page.ts';
import { DocumentRef } from './document.ts';
import { UploadedFileRef } from './file.ts';
import { WorkspaceRef } from './workspace.ts';

type Text = string | null | undefined;

const AttachmentRef = builder.objectRef<Entity>('Attachment').implement({
  description: 'A file attached to a document, such as a certificate. The Workspace API calls it a file.',
  interfaces: [EntityRef],
  extensions: { jsonSchema: { ...attachmentType.schema, required: attachmentType.required } },
  fields: (t) => ({
    caption: t.string({ description: 'The name of the file.', resolve: (file) => String(file.at('caption')) }),
    size: t.float({ description: 'The size in bytes.', resolve: (file) => Number(file.at('size')) }),
    location: t.field({
      type: 'UUID',
      description: 'The internal identifier of the file.',
      resolve: (file) => String(file.at('location')),
    }),
    format: t.string({ description: 'The media type.', resolve: (file) => String(file.at('format')) }),
    sha256: t.string({
      description: 'SHA-256 of the contents, in hexadecimal.',
      resolve: (file) => String(file.stored('file.sha256')),
    }),
    clientReferenceNumber: t.string({
      nullable: true,
      description: "The client's own id of the file.",
      resolve: (file) => file.at('clientReferenceNumber') as Text,
    }),
    vendorReferenceNumber: t.string({
      nullable: true,
      description: "The vendor's own id of the file.",
      resolve: (file) => file.at('vendorReferenceNumber') as Text,
    }),
    description: t.string({
      nullable: true,
      description: 'What the file is.',
      resolve: (file) => file.at('description') as Text,
    }),
    content: t.field({
      type: 'FileContent',
      description:
        'The contents: the path at which REST serves them, with the path of the address of the service in front.',
      resolve: (file, _args, { domain, basePath }) => domain.attachments.content(file, basePath),
    }),
    workspace: t.field({
      type: WorkspaceRef,
      nullable: true,
      description: 'The workspace of the document.',
      resolve: (file, _args, { load }) => load.workspace(file.workspaceId),
    }),
    document: t.field({
      type: DocumentRef,
      nullable: true,
      description: 'The document that the file is attached to.',
      resolve: (file, _args, { load }) => load.document(file.parentId),
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (file, window, { load }) => load.versions(file, window),
    }),
  }),
});

const AttachmentConnection = connection('Attachment', AttachmentRef);

builder.interfaceField(DocumentRef, 'attachments', (t) =>
  t.field({
    type: [AttachmentRef],
    description: 'The files attached to the document, newest first.',
    args: {
      first: t.arg.int({ required: true, defaultValue: 25, description: 'At most this many; 1 to 1000.' }),
    },
    extensions: checked(({ first }: { readonly first: number }, { domain }) => domain.attachments.checkNumber(first)),
    resolve: (document, { first }, { load }) => load.attachments(document, first),
  }),
);

/** Identifies the document of an attachment. */
const documentArgs = () =>
  builder.args((t) => ({
    workspace: t.field({ type: 'UUID', description: 'A document of another workspace is NOT_FOUND.' }),
    document: t.field({ type: 'UUID', required: true, description: 'The id of the document.' }),
    documentType: t.string({ description: 'A document of another type is NOT_FOUND.' }),
  }));

/** Identifies an attachment; NOT_FOUND if its workspace, document or document type is another. */
const placeArgs = () =>
  builder.args((t) => ({
    workspace: t.field({ type: 'UUID', description: 'An attachment of another workspace is NOT_FOUND.' }),
    document: t.field({ type: 'UUID', description: 'An attachment of another document is NOT_FOUND.' }),
    documentType: t.string({ description: 'An attachment of a document of another type is NOT_FOUND.' }),
    id: t.field({ type: 'UUID', required: true, description: 'The id of the attachment.' }),
  }));

builder.queryFields((t) => ({
  attachment: t.field({
    type: AttachmentRef,
    nullable: true,
    description: 'One attachment.',
    args: placeArgs(),
    resolve: (_root, place, { domain }) => domain.attachments.get(place),
  }),
  attachments: t.field({
    type: AttachmentConnection,
    description: 'The attachments of a document.',
    args: { ...documentArgs(), ...listArgs(attachmentType) },
    extensions: checked((args: ListRequest & Partial<AttachmentDocument>, { domain }) =>
      domain.attachments.checkList(args),
    ),
    resolve: (_root, args, { domain }) => domain.attachments.list(args),
  }),
}));

builder.mutationFields((t) => ({
  uploadFile: t.field({
    type: UploadedFileRef,
    description:
      'Uploads a file for a document, to be attached with createAttachment; the document is checked before the first byte is read.',
    args: {
      ...documentArgs(),
      file: t.arg({ type: 'Upload', required: true, description: 'The file, from a multipart form.' }),
    },
    resolve: (_root, { file, ...place }, { domain }) => domain.attachments.upload(place, file),
  }),
  discardFile: t.field({
    type: 'UUID',
    description: 'Discards a file that was uploaded for a document but not attached, and returns its id.',
    args: {
      document: t.arg({ type: 'UUID', required: true, description: 'The document that it was uploaded for.' }),
      file: t.arg({ type: 'UUID', required: true, description: 'The id of the uploaded file.' }),
    },
    resolve: (_root, args, { domain }) => domain.attachments.discard(args),
  }),
  createAttachment: t.field({
    type: AttachmentRef,
    description: 'Attaches a file that the caller uploaded for this document.',
    args: {
      ...documentArgs(),
      file: t.arg({ type: 'UUID', required: true, description: 'The id of the uploaded file.' }),
      clientReferenceNumber: t.arg.string({ description: "The client's own id of the file." }),
      vendorReferenceNumber: t.arg.string({ description: "The vendor's own id of the file." }),
      description: t.arg.string({ description: 'What the file is.' }),
    },
    resolve: (_root, args, { domain }) => domain.attachments.create(args),
  }),
  deleteAttachment: t.field({
    type: AttachmentRef,
    description: 'Deletes an attachment and its file permanently, and returns its last version.',
    args: { ...placeArgs(), ...removalArgs() },
    resolve: (_root, { expectedVersion, ...place }, { domain }) =>
      domain.attachments.remove(place, { expectedVersion }),
  }),
}));
