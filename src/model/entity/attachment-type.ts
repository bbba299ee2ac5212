import { link, text } from '../fields/schema-parts.ts';
import type { EntityType } from './entity-type.ts';

/** A file attached to a document (interface, "Attachment"); a job file in the legacy paths. */
export const attachmentType: EntityType = {
  name: 'svc.bridge.attachment',
  aliases: [],
  noun: 'attachment',
  graphqlNames: { hide: ['workspace', 'document'] },
  required: ['workspace', 'document', 'caption', 'size', 'location', 'format'],
  schema: {
    title: 'Attachment',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace of the document.'),
      document: link('document', 'The document that the file is attached to.'),
      caption: { type: 'string', description: 'The name of the file, without any path.' },
      size: { type: 'integer', description: 'The size of the file in bytes.' },
      location: link('file', 'The internal identifier of the uploaded file.'),
      format: { type: 'string', description: 'The media type of the file.' },
      clientReferenceNumber: text("The client's own id of the file."),
      vendorReferenceNumber: text("The vendor's own id of the file."),
      description: text('What the file is.'),
    },
  },
};
