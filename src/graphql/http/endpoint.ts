import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DocumentNode, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import { isAsyncIterable, processRegularResult } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import type { FailureLog } from '../../error-masking.ts';
import { ServiceError } from '../../errors.ts';
import { readBody } from '../../http/bodies/body.ts';
import { compressStream, sendText } from '../../http/compress.ts';
import { EVENT_STREAM_TYPE, mediaTypeOf } from '../../http/media-type.ts';
import { problemOf } from '../../http/problem.ts';
import type { BodyRoom } from '../../http/rooms/body-room.ts';
import type { RepeatedDocuments } from '../execution/repeated-documents.ts';
import type { PersistedOperations } from '../persisted/persisted-operations.ts';
import { asGraphQLError } from '../request-error.ts';
import { type StreamedResult, sendEventStream } from '../subscriptions/event-stream.ts';
import { type AdmissionParts, admission, readmission } from './admission.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { type ContextSource, openContext } from './open-context.ts';
import { runMultipart } from './reading/multipart-request.ts';
import { paramsOfAddress, paramsOfBody, type RequestParams, readJson } from './reading/request-params.ts';
import { faultOfForm, jsonAnswer, requestCode, textBody } from './request-form.ts';
import type { createGraphql } from './yoga.ts';

type Yoga = ReturnType<typeof createGraphql>;
type Enveloped = ReturnType<Yoga['getEnveloped']>;

interface EndpointOptions extends AdmissionParts {
  readonly maxBodyBytes: number;
  readonly bodyRoom: BodyRoom;
  readonly maxFileBytes: number;
  /** How long a body may stall, without and with a file. */
  readonly stalls: { readonly bodyMs: number; readonly uploadMs: number };
  readonly log: FailureLog;
  readonly documents: RepeatedDocuments;
}

/** The maximum body size without a credential, in bytes. */
const STRANGERS_BYTES = 64 * 1024;

/** The maximum form field, in bytes; without a file, JSON can be sent instead. */
const FIELD_BYTES = 1024 * 1024;

/**
 * Answers GraphQL requests, each after its credential was checked. The common case, JSON in and JSON out by POST, uses Yoga's
 * own parse, validate and execute, but without the detour through Request and Response objects, which costs more than most
 * queries, and takes more memory than the rest of a waiting subscription. All others (other methods and media types, invalid
 * requests) are handed to Yoga whole.
 */
export function graphqlEndpoint(yoga: Yoga, persisted: PersistedOperations, options: EndpointOptions) {
  const { gateway, maxBodyBytes, maxFileBytes, bodyRoom: room, stalls, log } = options;
  const run = runner(yoga, persisted, options);
  const admit = admission(options);
  const readmit = readmission(options);
  const handOn = (asked: GraphqlRequest, request: IncomingMessage) => {
    compressStream(request, asked.res);
    return yoga.handle(request, withHeaders(asked), asked);
  };
  const answerParams = async (asked: GraphqlRequest, body: Buffer, json: () => unknown): Promise<void> => {
    asked.bodyBytes = body.length;
    if (await run(asked, paramsOfBody(json))) return;
    asked.json = json;
    await handOn(asked, withBody(asked.req, body));
  };
  const answer = async (asked: GraphqlRequest, body: Buffer): Promise<void> => {
    const { req } = asked;
    try {
      const readmitted = readmit(asked);
      if (readmitted instanceof Promise) await readmitted;
    } catch (error) {
      refuseCredential(asked, error, log);
      return;
    }
    if (mediaTypeOf(req) === 'application/json') return answerParams(asked, body, readJson(body.toString('utf8')));
    asked.bodyBytes = body.length;
    await handOn(asked, withBody(req, body));
  };
  const answerMultipart = (asked: GraphqlRequest, maxBytes: number): Promise<void> => {
    const limits = {
      maxFileBytes: asked.logged.viewer === undefined ? maxBytes : maxFileBytes,
      fieldBytes: Math.min(FIELD_BYTES, maxBytes),
      stallMs: stalls.uploadMs,
      credential: { checked: asked.logged.started, recheck: (checked: number) => gateway.recheck(asked.req, checked) },
    };
    return runMultipart(asked, limits, async ({ text, params }) => {
      await readmit(asked);
      await answerParams(asked, text, () => params).catch((error) => giveUp(asked, error, log));
    });
  };
  const answerGet = async (asked: GraphqlRequest): Promise<void> => {
    const { req } = asked;
    const isStream = req.headers.accept?.includes(EVENT_STREAM_TYPE);
    if (isStream && (await run(asked, paramsOfAddress(req.url)))) return;
    await handOn(asked, req);
  };
  const serve = (asked: GraphqlRequest): void => {
    const { req, res, logged } = asked;
    const failed = (error: unknown): void => giveUp(asked, error, log);
    const fault = faultOfForm(req);
    if (fault !== undefined) {
      refuse(asked, fault);
      return;
    }
    if (req.method !== 'POST') {
      void answerGet(asked).catch(failed);
      return;
    }
    const maxBytes = logged.viewer === undefined ? Math.min(STRANGERS_BYTES, maxBodyBytes) : maxBodyBytes;
    const mediaType = mediaTypeOf(req);
    if (mediaType === 'multipart/form-data') {
      answerMultipart(asked, maxBytes).catch((error) => refuse(asked, error));
      return;
    }
    readBody(
      { request: req, response: res, tenant: logged.viewer?.tenant },
      { maxBytes, isJson: mediaType !== 'application/graphql', stallMs: stalls.bodyMs, room },
      {
        fail: (error) => refuse(asked, error),
        done: (body) => {
          const text = textBody(body);
          if (text === undefined) refuse(asked, new ServiceError('INVALID_INPUT', 'The body is not valid UTF-8.'));
          else void answer(asked, text).catch(failed);
        },
      },
    );
  };
  return (asked: GraphqlRequest): void => {
    answerHeadLikeGet(asked.req);
    admit(asked, { serve: () => serve(asked), refuse: (error) => refuseCredential(asked, error, log) });
  };
}

/** HEAD works where GET does (contract §4): Node itself omits the body. A stream would never end, so it is answered as JSON. */
function answerHeadLikeGet(request: IncomingMessage): void {
  if (request.method !== 'HEAD') return;
  request.method = 'GET';
  if (faultOfForm(request) === undefined) request.headers.accept = jsonAnswer(request) ?? 'application/json';
}

/** Answers a request whose credential is invalid, or cannot be looked up. */
function refuseCredential(asked: GraphqlRequest, error: unknown, log: FailureLog): void {
  const { req, requestId, logged } = asked;
  logged.cause = error;
  const errors = [asGraphQLError(error, log, requestId)];
  send(asked, { errors }, jsonAnswer(req) ?? 'application/json');
}

/** The fallback if a response fails: a single error or, if that fails too, closing the connection. */
function giveUp(asked: GraphqlRequest, error: unknown, log: FailureLog): void {
  const { res, requestId, logged } = asked;
  try {
    logged.cause = error;
    log.error({ err: error, requestId }, 'the response to an operation could not be sent');
    if (res.headersSent) res.destroy();
    else refuse(asked, error);
  } catch {
    res.destroy();
  }
}

/** Whether a request is certainly for GraphQL, and needs no other routing. */
export const isGraphqlPost = (request: IncomingMessage): boolean =>
  request.method === 'POST' &&
  (request.url === '/graphql' || request.url === '/graphql/') &&
  mediaTypeOf(request) === 'application/json';

/**
 * Yoga takes a body that was already read from the request's `body`. It lists the keys of that value, which for a string are
 * all its characters; a stream of one chunk has one.
 */
const withBody = (request: IncomingMessage, whole: Buffer): IncomingMessage => {
  const pieces = async function* () {
    yield whole;
  };
  return Object.assign(request, { body: { whole, [Symbol.asyncIterator]: pieces } });
};

/** True if the request was answered; false, without side effects, if Yoga must handle it. */
function runner(yoga: Yoga, persisted: PersistedOperations, source: EndpointOptions) {
  const { documents } = source;
  const valid = new WeakSet<DocumentNode>(); // for everyone, so they are not validated again
  const documentOf = (enveloped: Enveloped, query: string): DocumentNode | undefined => {
    const known = documents.get(query);
    if (known && valid.has(known)) return known;
    const document = validDocument(enveloped, query);
    if (document && documents.has(document)) valid.add(document);
    return document;
  };
  return async (serverContext: GraphqlRequest, params: RequestParams | undefined): Promise<boolean> => {
    const { req } = serverContext;
    const mediaType = answerType(req);
    if (!params || (!mediaType && !req.headers.accept?.includes(EVENT_STREAM_TYPE))) return false;
    const enveloped = yoga.getEnveloped(serverContext as never);
    const { execute, subscribe, schema } = enveloped;
    const query = textOf(persisted, params);
    const document = query === undefined ? undefined : documentOf(enveloped, query);
    const operation = document && getOperationAST(document, params.operationName);
    const isStream = operation?.operation === OperationTypeNode.SUBSCRIPTION;
    if (!operation || isStream === Boolean(mediaType)) return false;
    let contextValue: Context;
    try {
      contextValue = Object.assign(openContext(serverContext, source), serverContext);
    } catch {
      return false; // Yoga reports the error
    }
    const { variables: variableValues, operationName } = params;
    const args = { schema, document, variableValues, operationName, contextValue };
    if (!mediaType) return streams(await subscribe(args), serverContext, source);
    send(serverContext, (await execute(args)) as ExecutionResult, mediaType);
    return true;
  };
}

/** Starts sending a subscription's results; false if it did not open. Its end is not awaited, which would retain its body until then. */
function streams(result: unknown, asked: GraphqlRequest, { log }: ContextSource): boolean {
  if (!isAsyncIterable(result)) {
    asked.refused = result as ExecutionResult;
    return false;
  }
  sendEventStream(result as AsyncIterable<StreamedResult>, withHeaders(asked)).catch((error) =>
    giveUp(asked, error, log),
  );
  return true;
}

/** Undefined also for an unknown id, which Yoga reports. */
function textOf(persisted: PersistedOperations, params: RequestParams): string | undefined {
  try {
    return persisted.textOf(params);
  } catch {
    return undefined;
  }
}

/** Undefined for an invalid document, which Yoga reports. */
function validDocument({ parse, validate, schema }: Enveloped, query: string): DocumentNode | undefined {
  try {
    const document = parse(query);
    return validate(schema, document).length > 0 ? undefined : document;
  } catch {
    return undefined;
  }
}

/** The type of a JSON answer; undefined also for clients that accept streams. */
const answerType = (request: IncomingMessage): string | undefined =>
  request.headers.accept?.includes(EVENT_STREAM_TYPE) ? undefined : jsonAnswer(request);

/** Collects the status, headers and text that Yoga sets. */
class Answer {
  readonly text: string;
  readonly init: { readonly status: number; readonly headers: Readonly<Record<string, string>> };

  constructor(text: string, init: Answer['init']) {
    this.text = text;
    this.init = init;
  }
}

function send({ req, res, headersWith }: GraphqlRequest, result: ExecutionResult, mediaType: string): void {
  const { text, init } = processRegularResult(result, { Response: Answer } as never, mediaType) as unknown as Answer;
  if (res.destroyed || res.headersSent) return; // a stalled form is refused while its operation runs
  const headers = Object.entries(init.headers).flat();
  // All in one array: Node is much slower with headers set on the response earlier.
  const writeHead = (own: readonly string[]) => res.writeHead(init.status, headersWith(own));
  sendText({ request: req, response: res, headers, text, writeHead });
}

/** Sets the headers of every answer, for callers that add their own. */
function withHeaders({ res, headersWith }: GraphqlRequest): ServerResponse {
  const headers = headersWith([]);
  for (let at = 0; at + 1 < headers.length; at += 2) res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
  return res;
}

function refuse(asked: GraphqlRequest, error: unknown): void {
  const { status, code, detail, headers } = problemOf(error);
  if (asked.res.destroyed || asked.res.headersSent) return;
  withHeaders(asked)
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers, Connection: 'close' })
    .end(JSON.stringify({ errors: [{ message: detail, extensions: { code: requestCode(code) } }] }));
}
