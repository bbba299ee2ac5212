import { type SourceKind, setVariable } from '../source-kind.ts';

/** The file of a multipart form, with the operations that upload and discard it, which clients cannot send themselves. */
export interface FileSource {
  readonly from: 'file';
  readonly upload: string;
  readonly discard: string;
}

/**
 * The file of a multipart form, in the part `file`, as the id that `upload` returned while the file arrived. Both
 * operations get the endpoint's variables of the same names, and the file or its id as `$file`.
 */
export const fromFile = (upload: string, discard: string): FileSource => ({ from: 'file', upload, discard });

export const file: SourceKind<FileSource> = {
  bind: (_, { variable }) => ({ body: ({ form }, binding) => setVariable(binding, variable, form?.file.id) }),
  bodyPart: () => ({ mediaTypes: ['multipart/form-data'], members: { file: FILE }, required: ['file'] }),
};

const FILE = {
  type: 'string',
  format: 'binary', // not in JSON Schema 2020-12, but code generators know it
  contentMediaType: 'application/octet-stream',
  description: 'The file, with its name and its media type.',
};
