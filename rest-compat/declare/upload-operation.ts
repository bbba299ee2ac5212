import { fromFile, type Source } from './source.ts';

/** What createAttachment needs of the file that it attaches. */
const TAKEN = 'id name sha256';

/**
 * A file for the document of the variables `$workspace` and `$document`, which must be there before the first byte is
 * taken in. `name` is the beginning of the operations' names.
 */
export const fileForDocument = (name: string): Source =>
  fromFile(
    `mutation ${name}Upload($workspace: UUID!, $document: UUID!, $documentType: String, $file: Upload!) {
      uploadFile(workspace: $workspace, document: $document, documentType: $documentType, file: $file) { ${TAKEN} }
    }`,
    `mutation ${name}Discard($document: UUID!, $file: UUID!) { discardFile(document: $document, file: $file) }`,
  );
