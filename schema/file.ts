import { GraphQLError } from 'graphql';
import { IncomingFile, type StoredFile } from '../src/model/entity/file.ts';
import { builder } from './building/builder.ts';

const ONLY_MULTIPART =
  'A file is not a JSON value: send the request as multipart/form-data, as the GraphQL multipart request specification says, with null in place of the file.';

const refuse = (): never => {
  throw new GraphQLError(ONLY_MULTIPART, { extensions: { code: 'BAD_USER_INPUT' } });
};

builder.scalarType('Upload', {
  description:
    'A file being uploaded. It has no JSON form: the request that has it is a multipart form of the GraphQL multipart request specification (operations, map, one file).',
  serialize: refuse,
  parseValue: (value) => (value instanceof IncomingFile ? value : refuse()),
  parseLiteral: refuse,
});

builder.scalarType('FileContent', {
  description:
    'The contents of a file. In JSON, the path at which REST serves them, with range requests; within the process, a handle for reading them.',
  serialize: (value) => value,
  parseValue: refuse,
  parseLiteral: refuse,
});

/** An uploaded file that is not attached yet. */
export const UploadedFileRef = builder.objectRef<StoredFile>('UploadedFile').implement({
  description: 'An uploaded file. It is deleted unless it is attached within ten minutes.',
  fields: (t) => ({
    id: t.expose('id', {
      type: 'UUID',
      description: 'The id to attach the file by, and the location of the attachment.',
    }),
    name: t.exposeString('name', { description: 'The name of the file, without any path.' }),
    format: t.exposeString('mediaType', { description: 'The media type.' }),
    size: t.exposeFloat('size', { description: 'The size in bytes.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the contents, in hexadecimal.' }),
  }),
});
