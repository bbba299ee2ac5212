import { fromFile, type Source } from './source.ts';

/** The fields that createAttachment needs from the uploaded file. */
const TAKEN = 'id name sha256';

/**
 * A file for the document of the variables `$workspace` and `$document`, which must exist before the first byte is
 * read. `name` is the prefix of the operations' names.
 */
export const fileForDocument = (name: string): Source =>
  fromFile(
    `mutation ${name}Upload($workspace: UUID!, $document: UUID!, $documentType: String, $file: Upload!) {
      uploadFile(workspace: $workspace, document: $document, documentType: $documentType, file: $file) { ${TAKEN} }
    }`,
    `mutation ${name}Discard($document: UUID!, $file: UUID!) { discardFile(document: $document, file: $file) }`,
  );
