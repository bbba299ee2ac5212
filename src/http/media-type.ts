import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';
import { parse } from 'content-type';
import { invalidHeader, ServiceError } from '../errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

const JSON_TYPES = /^application\/(?:[\w!#$&^.+-]+\+)?json$/;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Caches the last Content-Type: most requests send the same, and each is checked several times. */
let lastText = '';
let lastType = parse(lastText);

function contentTypeOf({ headers }: IncomingMessage): ReturnType<typeof parse> {
  const text = headers['content-type'] ?? '';
  if (text !== lastText) {
    lastType = parse(text);
    lastText = text;
  }
  return lastType;
}

/** The media type of a request's body, in lower case and without parameters; empty if absent. */
export const mediaTypeOf = (request: IncomingMessage): string => contentTypeOf(request).type;

/** JSON Patch is not the JSON Merge Patch that PATCH takes. */
const JSON_PATCH = 'application/json-patch+json';

/** Whether the Content-Type is JSON other than JSON Patch: application/json, or a type ending in +json. */
export function isJson(request: IncomingMessage): boolean {
  const type = mediaTypeOf(request);
  return JSON_TYPES.test(type) && type !== JSON_PATCH;
}

/** UTF-8, its subset ASCII, or nothing; some clients put it in single quotes. */
const UTF8 = /^(?:'?(?:utf-?8|(?:us-)?ascii)'?)?$/i;

/** Whether the Content-Type names no charset but UTF-8. */
export const hasUtf8Charset = (request: IncomingMessage): boolean =>
  UTF8.test(contentTypeOf(request).parameters.charset ?? '');

/** Whether the body is JSON that the service can read: in UTF-8, and not compressed. */
export const isReadableJson = (request: IncomingMessage): boolean =>
  isJson(request) && hasUtf8Charset(request) && faultOfEncoding(request, 'body') === undefined;

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** A parameter of a media range other than a valid q: JSON has only one form, so none excludes it. */
const PARAMETER = /;\s*(?!q\s*=\s*[\d.]+\s*(?:[;,]|$))[^=;,\s]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,\s]*))?/gi;

/** A range sent by old Java clients, meaning everything. */
const STAR = /(^|,)(\s*)\*(?=\s*(?:[;,]|$))/g;

/** The media ranges of an Accept header; an empty list excludes nothing. */
const rangesOf = (accept: string): string =>
  /^[\s,]*$/.test(accept) ? '*/*' : accept.replace(PARAMETER, '').replace(STAR, '$1$2*/*');

/** The type a client prefers; undefined if it accepts none. */
export function preferredType({ headers }: IncomingMessage, types: readonly string[]): string | undefined {
  const { accept } = headers;
  if (accept === undefined) return types[0];
  const preferred = accepts({ headers: { accept: rangesOf(accept) } } as IncomingMessage).type([...types]);
  return typeof preferred === 'string' ? preferred : undefined;
}

/** Rejects a client that does not accept JSON (406). */
export function checkAccept(request: IncomingMessage): void {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return;
  if (preferredType(request, ['application/json']) !== undefined) return;
  throw new ServiceError(
    'NOT_ACCEPTABLE',
    'The response is application/json, which the Accept header excludes; leave the header out or add application/json.',
  );
}

export const EVENT_STREAM_TYPE = 'text/event-stream';

/** Whether the client prefers Server-Sent Events to JSON; rejects one that accepts neither (406). */
export function wantsEventStream(request: IncomingMessage): boolean {
  const type = preferredType(request, ['application/json', EVENT_STREAM_TYPE]);
  if (type !== undefined) return type === EVENT_STREAM_TYPE;
  throw new ServiceError(
    'NOT_ACCEPTABLE',
    'The response is application/json or text/event-stream, and the Accept header excludes both.',
  );
}

/** Whether the request's Content-Type is a URL-encoded form. */
export const isUrlencoded = (request: IncomingMessage): boolean =>
  contentTypeOf(request).type === FORM_TYPE && hasUtf8Charset(request);

/** Rejects a body that is compressed, or is neither UTF-8 JSON nor an accepted form (415). */
export function checkMediaType(request: IncomingMessage, orForm: boolean): void {
  const { 'content-type': type } = request.headers;
  if (type === undefined) {
    if (hasBody(request))
      throw unsupported(request, 'The body has no Content-Type; send Content-Type: application/json.', orForm);
  } else if (
    type !== 'application/json' &&
    !(isJson(request) && hasUtf8Charset(request)) &&
    !(orForm && isUrlencoded(request))
  ) {
    const form = orForm ? ' or application/x-www-form-urlencoded,' : '';
    const hint =
      mediaTypeOf(request) === JSON_PATCH ? ' A PATCH here is a JSON Merge Patch (RFC 7396), not a JSON Patch.' : '';
    const said = `The body must be application/json (or end in +json)${form} in UTF-8; the request says ${JSON.stringify(type)}.`;
    throw unsupported(request, said + hint, orForm);
  }
  checkEncoding(request, 'body');
}

/** Rejects a compressed body (415). */
function checkEncoding(request: IncomingMessage, what: 'body' | 'form'): void {
  const fault = faultOfEncoding(request, what);
  if (fault !== undefined) throw fault;
}

/** The error for a compressed body. */
export function faultOfEncoding({ headers }: IncomingMessage, what: 'body' | 'form'): ServiceError | undefined {
  const { 'content-encoding': encoding = '', 'transfer-encoding': transfer = '' } = headers;
  const isPlain = /^(?:identity)?$/i.test(encoding);
  if (isPlain && /^(?:chunked)?$/i.test(transfer)) return undefined;
  const remedy = isPlain ? 'with Transfer-Encoding: chunked alone' : 'without Content-Encoding';
  return new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Compressed request bodies are not accepted; send the ${what} ${remedy}.`,
    { headers: { 'Accept-Encoding': 'identity' } },
  );
}

/** Rejects a body that is not a multipart form (415), or has no boundary (400). */
export function checkFormType(request: IncomingMessage): void {
  const said = request.headers['content-type'];
  const { type, parameters } = contentTypeOf(request);
  if (type !== 'multipart/form-data') {
    const found = said === undefined ? 'has no Content-Type' : `says ${JSON.stringify(said)}`;
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must be multipart/form-data with a part "file"; the request ${found}.`,
      { headers: { 'Accept-Post': 'multipart/form-data' } },
    );
  }
  checkEncoding(request, 'form');
  if (!parameters.boundary) {
    throw invalidHeader('Content-Type', 'has no boundary; let the HTTP client set the header.');
  }
}

/** The header that lists the media types a method takes (RFC 5789, W3C Linked Data Platform, RFC 9110). */
export function acceptHeaderOf(method: string): 'Accept-Patch' | 'Accept-Post' | 'Accept' {
  if (method === 'PATCH') return 'Accept-Patch';
  return method === 'POST' ? 'Accept-Post' : 'Accept';
}

/** The media types of a body, as that header lists them. */
function typesTaken(method: string, orForm: boolean): string {
  const types = method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json'];
  return [...types, ...(orForm ? [FORM_TYPE] : [])].join(', ');
}

const unsupported = ({ method = '' }: IncomingMessage, detail: string, orForm: boolean): ServiceError =>
  new ServiceError('UNSUPPORTED_MEDIA_TYPE', detail, {
    headers: { [acceptHeaderOf(method)]: typesTaken(method, orForm) },
  });
