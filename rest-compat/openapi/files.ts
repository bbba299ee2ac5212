import type { Endpoint } from '../declare/endpoint.ts';
import { headers } from './headers.ts';
import type { JsonSchema } from './schemas.ts';

const BINARY: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' };

/** The multipart form that an endpoint takes a file by; undefined where it takes none. */
export function formBodyOf({ variables }: Endpoint): JsonSchema | undefined {
  const sources = Object.values(variables);
  if (!sources.some(({ from }) => from === 'file')) return undefined;
  const fields = sources.flatMap((source) =>
    source.from === 'form' ? [[source.name, { type: 'string', description: source.description }] as const] : [],
  );
  const file = { ...BINARY, description: 'The file, with its name and its media type.' };
  const schema = { type: 'object', required: ['file'], properties: { file, ...Object.fromEntries(fields) } };
  return { required: true, content: { 'multipart/form-data': { schema } } };
}

const WHOLE = headers('X-Request-Id', 'ETag', 'Accept-Ranges', 'Content-Disposition');
const content = { '*/*': { schema: BINARY } };

/** How the contents of a file are answered: whole, in part, or not again. */
export const contentAnswers: Readonly<Record<string, JsonSchema>> = {
  200: { description: 'The contents, under the media type of the file.', headers: WHOLE, content },
  206: {
    description: 'The range that was asked for.',
    headers: { ...WHOLE, ...headers('Content-Range') },
    content,
  },
  304: { description: 'The client has the contents.', headers: headers('X-Request-Id', 'ETag') },
};

/** What a request for the contents of a file can say. */
export const contentParameters: readonly JsonSchema[] = [
  ['Range', 'One range of bytes, such as bytes=0-1023; several are answered by the whole.'],
  ['If-Range', 'An ETag: where it is not the current one, the whole is answered instead of the range.'],
].map(([name, description]) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
}));
