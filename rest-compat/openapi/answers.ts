import type { GraphQLSchema } from 'graphql';
import { type ErrorCode, MAX_FAULTS, STATUS_OF } from '../../src/errors.ts';
import type { Operation } from '../../src/gateway.ts';
import { type Endpoint, takesKey } from '../declare/endpoint.ts';
import type { Fields, View } from '../declare/view.ts';
import { nodeType } from '../serve/replies/answer.ts';
import { contentAnswers } from './files.ts';
import { headers, headersOfErrors, withReplays } from './headers.ts';
import { type JsonSchema, schemaRef, searchSchema, viewSchema } from './schemas.ts';

/** A problem document (RFC 9457; contract §3). */
export const problemSchema: JsonSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'message', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, for people.' },
    instance: { type: 'string', description: 'The path that was asked for.' },
    code: {
      type: 'string',
      enum: Object.keys(STATUS_OF),
      description: 'What is wrong, for programs; never changes its meaning.',
    },
    message: { type: 'string', description: 'The same text as detail.' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      maxItems: MAX_FAULTS,
      description: `What is wrong with the input: every fault, or the first ${MAX_FAULTS}.`,
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          path: { type: 'string', description: 'A JSON Pointer into the request body.' },
          parameter: { type: 'string', description: 'The name of a query parameter.' },
          message: { type: 'string' },
        },
      },
    },
    errorsOmitted: {
      type: 'integer',
      minimum: 1,
      description:
        'How many more faults were found, before checking stopped, than `errors` lists; absent when it lists them all.',
    },
  },
};

/** Answers by status. */
export type Answers = Readonly<Record<string, JsonSchema>>;

/** Every answer of an endpoint, by status. */
export function answersOf(endpoint: Endpoint, operation: Operation, schema: GraphQLSchema): Answers {
  return withReplays(endpoint, { ...problems(endpoint), ...success(endpoint, operation, schema) });
}

function success({ reply, method }: Endpoint, operation: Operation, schema: GraphQLSchema): Answers {
  if (reply.kind === 'nothing') {
    const cleared = reply.clears === undefined ? {} : headers('Set-Cookie');
    return { 204: { description: 'Done.', headers: { ...headers('X-Request-Id'), ...cleared } } };
  }
  if (reply.kind === 'content') return contentAnswers;
  if (reply.kind === 'report') return report(reply.view, nodeType(operation, schema, reply));
  const isList = reply.kind === 'list' || reply.kind === 'all' || reply.kind === 'search';
  const type = nodeType(operation, schema, reply);
  const item = viewSchema(reply.view, type, 'body' in reply ? reply.body : undefined);
  const isTagged = !isList && 'versionId' in type.getFields();
  const always = headers('X-Request-Id', ...(isTagged ? (['ETag'] as const) : []));
  const hasPath = reply.kind === 'outcome' || (reply.kind === 'one' && reply.located);
  const located = hasPath ? headers('Location') : {};
  const cookie = reply.kind === 'one' && reply.cookie ? headers('Set-Cookie') : {};
  const whole = reply.kind === 'search' ? searchSchema(item) : isList ? { type: 'array', items: item } : item;
  const content = { 'application/json': { schema: whole } };
  const answer = {
    description: reply.status === 201 ? 'Created.' : 'Success.',
    headers: { ...always, ...located, ...cookie },
    content,
  };
  const unchanged = { 304: { description: 'The client has the current version.', headers: always } };
  const there = { 200: { description: 'It was there already.', headers: always, content } };
  return {
    [reply.status]: answer,
    ...(reply.kind === 'outcome' && there),
    ...(method === 'GET' && reply.kind === 'one' && isTagged && unchanged),
  };
}

function report(view: View, type: Fields): Answers {
  const content = { 'application/json': { schema: viewSchema(view, type, undefined) } };
  return {
    200: { description: 'All is well.', headers: headers('X-Request-Id'), content },
    503: { description: 'Something is wrong; the report says what.', headers: headers('X-Request-Id'), content },
  };
}

function problems(endpoint: Endpoint): Answers {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of [...commonErrors(endpoint), ...endpoint.errors]) {
    const codes = byStatus.get(STATUS_OF[code]) ?? new Set();
    byStatus.set(STATUS_OF[code], codes.add(code));
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, problem([...codes])]));
}

const problem = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: codes.join(', '),
  headers: headersOfErrors(codes),
  content: {
    'application/problem+json': {
      schema: { allOf: [schemaRef('Problem'), { properties: { code: { enum: codes } } }] },
    },
  },
});

/** The errors that the machinery itself can answer with. */
function commonErrors(endpoint: Endpoint): ErrorCode[] {
  const { family, open, scope, parameters, variables, reply } = endpoint;
  const takesBody = Object.values(variables).some(({ from }) => from === 'body' || from === 'file');
  return [
    'INVALID_INPUT',
    ...(open ? [] : (['UNAUTHENTICATED'] as const)),
    ...(open || scope === 'none' ? [] : (['FORBIDDEN'] as const)),
    ...(family.check && !open ? (['UNSUPPORTED_VERSION'] as const) : []),
    ...(parameters.length > 0 ? (['NOT_FOUND'] as const) : []),
    ...(reply.kind === 'content' ? [] : (['NOT_ACCEPTABLE'] as const)),
    ...(takesBody ? (['TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(takesKey(endpoint) ? (['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
    'RATE_LIMITED',
    'INTERNAL',
    'UNAVAILABLE',
  ];
}
