import { type ExecutionResult, type GraphQLSchema, getNamedType, Kind } from 'graphql';
import { type Fault, invalidInput, notFound, ServiceError } from '../../../src/errors.ts';
import type { Operation } from '../../../src/gateway.ts';
import { etag, noneMatchHits } from '../../../src/http/etag.ts';
import { JSON_TYPE } from '../../../src/http/media-type.ts';
import { problemOf } from '../../../src/http/problem.ts';
import type { FileContent } from '../../../src/model/entity/file.ts';
import type { Endpoint } from '../../declare/endpoint.ts';
import type { Reply } from '../../declare/reply.ts';
import { compileView, type Fields, type Node } from '../../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import type { RestOptions } from '../options.ts';
import type { Binders, Variables } from '../sources/bind.ts';
import { clearedCookie, cookieOf } from './cookie.ts';
import { sendContent } from './file.ts';
import { sendList } from './list.ts';
import { reportSender } from './report.ts';
import { searchSender } from './search.ts';
import { outcomeSender } from './upsert.ts';

/** What an answer needs of its endpoint beside the declaration. */
interface Parts {
  readonly operation: Operation;
  readonly schema: GraphQLSchema;
  readonly paging: Binders['paging'];
  readonly isSecure: NonNullable<RestOptions['isSecure']>;
  run(exchange: Exchange, variables: Variables): Promise<ExecutionResult> | ExecutionResult;
}

type Send = (exchange: Exchange) => void | Promise<void>;

/** An answer may be kept by the client, who must ask before it uses it again: its ETag makes that cheap. */
const READ_HEADERS = ['Content-Type', JSON_TYPE, 'Cache-Control', 'private, no-cache'];
const WRITE_HEADERS = ['Content-Type', JSON_TYPE];

/** Compiles what happens once all variables are bound: run the operation, and send what the reply says. */
export function compileAnswer(endpoint: Endpoint, { operation, schema, paging, isSecure, run }: Parts): Send {
  const root = rootField(operation);
  const read = resultReader(endpoint, root);
  const { reply, method } = endpoint;
  const headers = method === 'GET' ? READ_HEADERS : WRITE_HEADERS;
  const complete = (exchange: Exchange, send: (exchange: Exchange, node: Node) => void): void | Promise<void> => {
    const result = run(exchange, exchange.variables);
    if (result instanceof Promise) return result.then((later) => send(exchange, read(exchange, later)));
    send(exchange, read(exchange, result));
  };
  if (reply.kind === 'list') {
    const type = nodeType(operation, schema, reply);
    const write = compileView(reply.view, type);
    const listing = { ...paging, headers, run, read: read as Reader<{ nodes: Node[] }>, write };
    return (exchange) => sendList(exchange, listing);
  }
  if (reply.kind === 'search') {
    const send = searchSender(compileView(reply.view, nodeType(operation, schema, reply)), headers);
    return (exchange) => complete(exchange, send);
  }
  if (reply.kind === 'outcome') {
    const send = outcomeSender(reply, nodeType(operation, schema, reply));
    return (exchange) => complete(exchange, send);
  }
  if (reply.kind === 'report') {
    const send = reportSender(reply, nodeType(operation, schema, reply));
    return (exchange) => send(exchange, async () => read(exchange, await run(exchange, exchange.variables)));
  }
  if (reply.kind === 'content') {
    const { field } = reply;
    return async (exchange) =>
      sendContent(exchange, read(exchange, await run(exchange, exchange.variables))[field] as FileContent);
  }
  if (reply.kind === 'nothing') {
    const { clears } = reply;
    return (exchange) =>
      complete(exchange, () =>
        exchange.send(204, clears === undefined ? [] : clearedCookie(clears, isSecure(exchange.request))),
      );
  }
  const type = nodeType(operation, schema, reply);
  const send =
    reply.kind === 'all' ? arraySender(reply, headers, type) : entitySender(reply, { method, isSecure }, type);
  return (exchange) => complete(exchange, send);
}

type Reader<T> = (exchange: Exchange, result: ExecutionResult) => T;

function arraySender({ view, status }: Reply & { kind: 'all' }, headers: readonly string[], type: Fields) {
  const write = compileView(view, type);
  return (exchange: Exchange, nodes: unknown): void =>
    exchange.send(status, headers, `[${(nodes as readonly Node[]).map(write).join(',')}]`);
}

function entitySender(
  reply: Reply & { kind: 'one' },
  { method, isSecure }: Pick<Endpoint, 'method'> & Pick<Parts, 'isSecure'>,
  type: Fields,
) {
  const write = compileView(reply.view, type);
  const { status, located, cookie } = reply;
  const tagged = 'versionId' in type.getFields();
  if (method === 'GET') {
    return (exchange: Exchange, node: Node): void => {
      const tag = etag(node.versionId);
      const known = exchange.headers['if-none-match'];
      if (!tagged) exchange.send(status, READ_HEADERS, write(node));
      else if (known !== undefined && noneMatchHits(known, String(node.versionId))) {
        exchange.send(304, ['ETag', tag, 'Cache-Control', 'private, no-cache']);
      } else exchange.send(status, [...READ_HEADERS, 'ETag', tag], write(node));
    };
  }
  return (exchange: Exchange, node: Node): void => {
    const headers = tagged ? [...WRITE_HEADERS, 'ETag', etag(node.versionId)] : [...WRITE_HEADERS];
    if (cookie) headers.push(...cookieOf(cookie, node, isSecure(exchange.request)));
    if (located && typeof node.id === 'string') headers.push('Location', `${exchange.path}/${node.id}`);
    exchange.send(status, headers, write(node));
  };
}

/** The name under which the operation's one root field stands in a result. */
function rootField(operation: Operation): string {
  const [field, ...more] = operation.definition.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || more.length > 0) throw new Error('the operation must have exactly one root field');
  return (field.alias ?? field.name).value;
}

/** The GraphQL type that the views of an operation read from. */
export function nodeType(operation: Operation, schema: GraphQLSchema, reply: Reply): Fields {
  const [field] = operation.definition.selectionSet.selections;
  const root = schema.getRootType(operation.definition.operation);
  const name = field?.kind === Kind.FIELD ? field.name.value : '';
  const type = getNamedType(root?.getFields()[name]?.type) as Fields | undefined;
  const isPage = reply.kind === 'list' || reply.kind === 'search';
  const inner = isPage ? 'nodes' : reply.kind === 'outcome' ? reply.entity : undefined;
  const node = inner && type ? (getNamedType(type.getFields()[inner]?.type) as Fields | undefined) : type;
  if (!node?.getFields) throw new Error(`the root field ${name} has no object to read from`);
  return node;
}

/** Takes the root field out of a result, or throws the result's first error with its places named as REST names them. */
function resultReader(endpoint: Endpoint, root: string): Reader<Node> {
  const places = argumentPlaces(endpoint);
  return (exchange, { data, errors }) => {
    const [error] = errors ?? [];
    if (error) throw placed(error, exchange, places);
    const node = data?.[root];
    if (node === null || node === undefined) throw notFound('entity', Object.values(exchange.params).at(-1) ?? '');
    return node as Node;
  };
}

type Place = { readonly parameter: string } | { readonly path: string };

/** Where the arguments that an error may name stand in the request. */
function argumentPlaces({ variables }: Endpoint): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const [variable, source] of Object.entries(variables)) {
    if (source.from === 'query' || source.from === 'path' || source.from === 'texts')
      places.set(variable, { parameter: source.name });
    if (source.from === 'body' && source.member !== undefined) places.set(variable, { path: `/${source.member}` });
    if (source.from === 'limit' || source.from === 'sort') places.set(variable, { parameter: source.from });
  }
  return places;
}

/** The same error, its faults moved to the places that the client knows. */
function placed(error: Error, { bodyPrefix, sent }: Exchange, places: ReadonlyMap<string, Place>): Error {
  const { code, errors, errorsOmitted = 0, headers } = problemOf(error);
  if (errors === undefined) return error;
  const faults = errors.map((fault): Fault => {
    const { message } = fault;
    if ('path' in fault) return { path: bodyPrefix + fault.path, message };
    const parameter = sent?.get(fault.parameter);
    if (parameter !== undefined) return { parameter, message };
    return { ...(places.get(fault.parameter) ?? { parameter: fault.parameter }), message };
  });
  const detail = code === 'INVALID_INPUT' ? invalidInput(faults, errorsOmitted).message : error.message;
  return new ServiceError(code, detail, { errors: faults, errorsOmitted, headers });
}
