import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { JSON_TYPE } from '../../src/http/media-type.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import type { Fields, Node, View } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import type { Variables } from '../sources/source-kind.ts';

/** Sends the answer of one exchange whose variables are bound. */
export type Send = (exchange: Exchange) => void | Promise<void>;

/** The endpoint, as far as it matters to the description of a reply. */
export interface DescriptionContext {
  readonly method: string;
  /** The object type that the root field of the operation gives, or a field of it; throws where there is none. */
  typeOf(field?: string): Fields;
}

/** The endpoint, as far as it matters to the sending of a reply. */
export interface ReplyContext extends DescriptionContext {
  /** The variable that has a source of this kind. */
  variableFrom(from: 'limit' | 'cursor' | 'offset' | 'paging'): string;
  isSecure(request: IncomingMessage): boolean;
  /** Runs the endpoint's operation. */
  run(exchange: Exchange, variables: Variables): Promise<ExecutionResult> | ExecutionResult;
  /** The root field of a result; throws the error that the result holds. */
  read(exchange: Exchange, result: ExecutionResult): Node;
}

/** Answers by status, for OpenAPI. */
export type Answers = Readonly<Record<string, JsonSchema>>;

/** Everything that the REST layer does with one kind of reply: it is sent, and it is described. */
export interface ReplyKind<R> {
  /** Throws an Error where the reply does not fit the operation. */
  compile(reply: R, context: ReplyContext): Send;
  /** The answers of success by status, as OpenAPI describes them. */
  answers(reply: R, context: DescriptionContext): Answers;
  /** The request headers that the reply looks at, as OpenAPI describes them; absent: none. */
  requestHeaders?(context: Pick<DescriptionContext, 'method'>): readonly JsonSchema[];
}

/** What a reply is written as: its view, and the scalar whose schema describes `body` in the answer, for OpenAPI. */
export interface Written {
  readonly view: View;
  readonly body: string | undefined;
}

/** An answer may be kept by the client, who must ask before it uses it again: its ETag makes that cheap. */
export const READ_HEADERS = ['Content-Type', JSON_TYPE, 'Cache-Control', 'private, no-cache'];
const WRITE_HEADERS = ['Content-Type', JSON_TYPE];

/** The headers of every JSON answer to this method. */
export const jsonHeaders = (method: string): readonly string[] => (method === 'GET' ? READ_HEADERS : WRITE_HEADERS);

/** Runs the operation, and sends the node of its root field. */
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
export const requestHeader = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

export const IF_NONE_MATCH = requestHeader(
  'If-None-Match',
  'ETags that the client has; where one is current, the answer is 304.',
);
