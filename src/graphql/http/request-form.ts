import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { getSSEProcessor, isAsyncIterable, type Plugin, processRegularResult } from 'graphql-yoga';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import {
  EVENT_STREAM_TYPE,
  faultOfEncoding,
  hasUtf8Charset,
  mediaTypeOf,
  preferredType,
} from '../../http/media-type.ts';
import type { GraphqlRequest } from './graphql-request.ts';

const JSON_ANSWERS = ['application/json', 'application/graphql-response+json'];
/** Result types for clients that accept no JSON. */
const OTHER_ANSWERS = [EVENT_STREAM_TYPE, 'multipart/mixed'];
/** The media types of an answer. */
const ANSWERS = [...JSON_ANSWERS, ...OTHER_ANSWERS];

/** The media types of a request. */
const REQUESTS: ReadonlySet<string> = new Set([
  'application/json',
  'application/graphql',
  'application/graphql+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

/** The error for an unsupported answer or body type (406, 415), before the body is read. */
export function faultOfForm(request: IncomingMessage): ServiceError | undefined {
  const said = request.headers['content-type'] ?? '';
  if (preferredType(request, ANSWERS) === undefined)
    return new ServiceError(
      'NOT_ACCEPTABLE',
      `The response is one of ${ANSWERS.join(', ')}, which the Accept header excludes.`,
    );
  if (request.method !== 'POST') return undefined;
  if (REQUESTS.has(mediaTypeOf(request)) && hasUtf8Charset(request)) return faultOfEncoding(request, 'body');
  return new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The body must be application/json in UTF-8; the request says ${JSON.stringify(said)}.`,
    { headers: { 'Accept-Post': 'application/json' } },
  );
}

/** The type of a JSON answer, if the client accepts one. */
export function jsonAnswer(request: IncomingMessage): string | undefined {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'application/json';
  return preferredType(request, JSON_ANSWERS);
}

/** Gives Yoga's answers, such as errors of a document, the same media type as any other answer. */
export function answerTypes(): Plugin<object, GraphqlRequest> {
  const yogaEvents = getSSEProcessor();
  const asEvents: typeof yogaEvents = async (...given) => {
    const response = await yogaEvents(...given);
    response.headers.delete('Content-Encoding'); // Yoga's `none` is no coding (RFC 9110 §8.4)
    return response;
  };
  return {
    onResultProcess({ result, serverContext: { req }, setResultProcessor }) {
      if (isAsyncIterable(result)) return;
      const json = jsonAnswer(req);
      if (json !== undefined) setResultProcessor(processRegularResult as never, json);
      else if (preferredType(req, OTHER_ANSWERS) === EVENT_STREAM_TYPE) {
        setResultProcessor(asEvents as never, EVENT_STREAM_TYPE);
      }
    },
  };
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The body without a byte order mark, which JSON does not allow; undefined if it is not UTF-8. */
export function textBody(body: Buffer): Buffer | undefined {
  if (!isUtf8(body)) return undefined;
  return body.subarray(0, BOM.length).equals(BOM) ? body.subarray(BOM.length) : body;
}

/** GraphQL's code for input that is no valid request (contract §11). */
export const requestCode = (code: ErrorCode): string => (code === 'INVALID_INPUT' ? 'BAD_USER_INPUT' : code);
