import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { ServiceError } from '../../src/errors.ts';
import { isMatchFailed } from '../../src/http/etag.ts';
import { JSON_TYPE } from '../../src/http/media-type.ts';
import type { Answers, Parameter } from '../declare/openapi-parts.ts';
import type { Fields, Node, View } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import type { Variables } from '../sources/source-kind.ts';
import type { CookieManner } from './cookie.ts';

/** Sends the response of an exchange whose variables are bound. */
export type Send = (exchange: Exchange) => void | Promise<void>;

/** The endpoint data that documenting a reply needs. */
export interface DescriptionContext {
  readonly method: string;
  /** The object type of the operation's root field, or of a field of it; throws if there is none. */
  typeOf(field?: string): Fields;
}

/** The endpoint data that sending a reply needs. */
export interface ReplyContext extends DescriptionContext {
  /** The variable that has a source of this kind. */
  variableFrom(from: 'limit' | 'cursor' | 'offset' | 'paging' | 'counting' | 'page-size' | 'page-start'): string;
  cookieManner(request: IncomingMessage): CookieManner;
  /** The prefix of every path that clients are sent to. */
  readonly basePath: string;
  /** Throws the error that ends a long response when the caller's credential is no longer valid (Gateway.recheck). */
  recheck(exchange: Exchange, checked?: number): Promise<number> | number;
  /** Runs the endpoint's operation. */
  run(exchange: Exchange, variables: Variables): Promise<ExecutionResult> | ExecutionResult;
  /** Has the operation, which may run several times for one response, read its lists at one point in time from now on. */
  readAtOneTime(exchange: Exchange): void;
  /** The root field of a result; throws the error of the result, if any. */
  read(exchange: Exchange, result: ExecutionResult): Node;
}

/** One kind of reply: how it is sent, and how it is documented. */
export interface ReplyKind<R> {
  /** Throws an Error if the reply does not fit the operation. */
  compile(reply: R, context: ReplyContext): Send;
  /** The success responses by status, for OpenAPI. */
  answers(reply: R, context: DescriptionContext): Answers;
  /** The request headers that the reply uses, for OpenAPI; absent if none. */
  requestHeaders?(context: DescriptionContext): readonly Parameter[];
}

/** The output of a reply: its view and, for OpenAPI, the scalar whose schema describes `body`. */
export interface Written {
  readonly view: View;
  readonly body: string | undefined;
}

/** Clients may cache a response but must revalidate it, which its ETag makes cheap. */
export const READ_HEADERS = ['Content-Type', JSON_TYPE, 'Cache-Control', 'private, no-cache'];
const WRITE_HEADERS = ['Content-Type', JSON_TYPE];

/** The headers of every JSON response to this method. */
export const jsonHeaders = (method: string): readonly string[] => (method === 'GET' ? READ_HEADERS : WRITE_HEADERS);

/** Runs the operation and sends the node of its root field. */
export function sendingNode(
  { run, read }: ReplyContext,
  send: (exchange: Exchange, node: Node) => void | Promise<void>,
): Send {
  return (exchange) => {
    const result = run(exchange, exchange.binding.variables);
    if (result instanceof Promise) return result.then((later) => send(exchange, read(exchange, later)));
    return send(exchange, read(exchange, result));
  };
}

/** A request header, for OpenAPI. */
export const requestHeader = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** Rejects a read (412) if its If-Match does not name the version that would be sent. */
export function checkMatch({ headers }: Exchange, versionId: string): void {
  if (isMatchFailed(headers['if-match'], versionId))
    throw new ServiceError('PRECONDITION_FAILED', `If-Match does not name the current version, ${versionId}.`);
}

export const IF_MATCH = requestHeader('If-Match', 'ETags, one of which must be current; otherwise 412.');

export const IF_NONE_MATCH = requestHeader(
  'If-None-Match',
  'ETags that the client has; if one is current, the response is 304.',
);
