import { BOUNDARY, fieldPart, filePart } from '../../rest-compat/form.ts';
import { CALLERS, type Caller, type TestService } from '../../service.ts';

export const UPLOAD = `mutation Upload($document: UUID!, $file: Upload!) {
  uploadFile(document: $document, file: $file) { id name format size sha256 }
}`;
export const MAP = { 0: ['variables.file'] };

/** The parts of a GraphQL multipart request. */
export const operationsOf = (query: string, variables: object) =>
  fieldPart('operations', JSON.stringify({ query, variables }));
export const map = (places: unknown = MAP) => fieldPart('map', JSON.stringify(places));
export const file = (bytes: Buffer | string = 'x', disposition = 'filename="a.pdf"') =>
  filePart(bytes, { part: '0', disposition, type: 'application/pdf' });

interface Sending {
  /** Null for no key. */
  readonly as?: Caller | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts a form to /graphql. */
export const postForm = ({ url }: TestService, body: Buffer, { as = 'client', headers }: Sending = {}) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      Accept: 'application/graphql-response+json',
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...(as && { Authorization: `Bearer ${CALLERS[as]}` }),
      ...headers,
    },
    body: new Uint8Array(body),
  });

/** Posts a form, and returns the result. */
export async function sendMultipart(...request: Parameters<typeof postForm>) {
  const response = await postForm(...request);
  const { data, errors } = (await response.json()) as {
    data?: { uploadFile?: Record<string, unknown> } | null;
    errors?: { message: string; extensions: { code: string } }[];
  };
  return { status: response.status, data, code: errors?.[0]?.extensions.code, message: errors?.[0]?.message };
}
