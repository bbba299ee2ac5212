import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';
import { ServiceError } from '../errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

const JSON_BODY = /^application\/(?:[\w!#$&^.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Refuses a client that takes no JSON (406). */
export function checkAccept(request: IncomingMessage): void {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return;
  if (accepts(request).type(['application/json']) !== false) return;
  throw new ServiceError(
    'NOT_ACCEPTABLE',
    'The answer is application/json, which the Accept header excludes; leave the header out or add application/json.',
  );
}

const FORM_BODY = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;

/** Whether the request says that its body is an urlencoded form. */
export const isUrlencoded = ({ headers }: IncomingMessage): boolean => FORM_BODY.test(headers['content-type'] ?? '');

/** Refuses a body that is not JSON in UTF-8, nor a form where forms are taken, or is compressed (415). */
export function checkMediaType(request: IncomingMessage, orForm: boolean): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (type === undefined) {
    if (hasBody(request)) throw unsupported('The body has no Content-Type; send Content-Type: application/json.');
  } else if (type !== 'application/json' && !JSON_BODY.test(type) && !(orForm && isUrlencoded(request))) {
    const form = orForm ? ' or application/x-www-form-urlencoded,' : '';
    throw unsupported(
      `The body must be application/json (or end in +json)${form} in UTF-8; the request says ${JSON.stringify(type)}.`,
    );
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('Compressed request bodies are not taken; send the body without Content-Encoding.');
  }
}

/** Refuses a body that is not a multipart form (415), or one that does not say how its parts are divided (400). */
export function checkFormType(request: IncomingMessage): void {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    const said = type === '' ? 'has no Content-Type' : `says ${JSON.stringify(type)}`;
    throw unsupported(`The body must be multipart/form-data with a part "file"; the request ${said}.`);
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('Compressed request bodies are not taken; send the form without Content-Encoding.');
  }
  if (!/;\s*boundary=("[^"]|[^\s";])/i.test(type)) {
    throw new ServiceError('INVALID_INPUT', 'The Content-Type has no boundary; let the HTTP client make the header.');
  }
}

const unsupported = (detail: string): ServiceError => new ServiceError('UNSUPPORTED_MEDIA_TYPE', detail);
