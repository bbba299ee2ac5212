import type { GraphQLSchema } from 'graphql';
import { type ErrorCode, MAX_VIOLATIONS, STATUS_OF } from '../../src/errors.ts';
import type { Operation } from '../../src/gateway.ts';
import { acceptHeaderOf } from '../../src/http/media-type.ts';
import { type Endpoint, isListed, takesKey } from '../declare/endpoint.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import type { Answer, Answers } from '../declare/openapi-parts.ts';
import { typeReader } from '../replies/compile-reply.ts';
import { IF_MATCH } from '../replies/reply-kind.ts';
import { kindOf } from '../replies/reply-kinds.ts';
import { isKept } from '../serve/idempotency.ts';
import { headers, headersOfErrors } from './headers.ts';
import { NAME, pascal, schemaRef } from './named-schemas.ts';
import { examplesOf } from './problem-examples.ts';

/** A problem document (RFC 9457; contract §3). */
export const problemSchema: JsonSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'message', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'A human-readable explanation.' },
    instance: { type: 'string', description: 'The path of the request.' },
    code: {
      type: 'string',
      enum: Object.keys(STATUS_OF),
      description: 'A machine-readable error code whose meaning never changes.',
    },
    message: { type: 'string', description: 'The same text as detail.' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      maxItems: MAX_VIOLATIONS,
      description: `The errors in the input, at most the first ${MAX_VIOLATIONS}.`,
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          path: { type: 'string', description: 'A JSON Pointer into the request body.' },
          parameter: { type: 'string', description: 'The name of a query parameter or of a header.' },
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

/** The responses of an endpoint, by status. */
export function answersOf(endpoint: Endpoint, operation: Operation, schema: GraphQLSchema): Answers {
  const { reply, method } = endpoint;
  const context = { method, typeOf: typeReader(operation, schema) };
  const success = kindOf(reply).answers(reply, context);
  const hasConditions = kindOf(reply).requestHeaders?.(context).includes(IF_MATCH) ?? false;
  return withRateLimit(
    endpoint,
    withReplays(endpoint, { ...withTypesTaken(endpoint, problems(endpoint, hasConditions)), ...success }),
  );
}

/** Adds the headers of a 415 that list the accepted media types. */
function withTypesTaken({ method }: Endpoint, answers: Answers): Answers {
  const { 415: refused } = answers;
  if (refused === undefined) return answers;
  const taken = headers(acceptHeaderOf(method), 'Accept-Encoding');
  return { ...answers, 415: { ...refused, headers: { ...refused.headers, ...taken } } };
}

/** Adds the rate limit headers to every response to an authenticated principal. */
function withRateLimit({ open }: Endpoint, answers: Answers): Answers {
  if (open) return answers;
  const limit = headers('RateLimit', 'RateLimit-Policy');
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      status === '401' ? answer : { ...answer, headers: { ...answer.headers, ...limit } },
    ]),
  );
}

/** Adds the replay header to every response that can be stored under an Idempotency-Key. */
function withReplays(endpoint: Endpoint, answers: Answers): Answers {
  if (!takesKey(endpoint)) return answers;
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const more = isKept(Number(status)) ? headers('Idempotency-Replayed') : {};
      return [status, { ...answer, headers: { ...answer.headers, ...more } }];
    }),
  );
}

function problems(endpoint: Endpoint, hasConditions: boolean): Answers {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of [...commonErrors(endpoint, hasConditions), ...endpoint.errors]) {
    const codes = byStatus.get(STATUS_OF[code]) ?? new Set();
    byStatus.set(STATUS_OF[code], codes.add(code));
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, problem([...codes])]));
}

const problem = (codes: readonly ErrorCode[]): Answer => ({
  description: codes.join(', '),
  headers: headersOfErrors(codes),
  content: {
    'application/problem+json': {
      schema: {
        [NAME]: pascal(`${codes.join(' or ').replaceAll('_', ' ').toLowerCase()} problem`),
        allOf: [schemaRef('Problem'), { properties: { code: { enum: codes } } }],
      },
      examples: examplesOf(codes),
    },
  },
});

/** The errors that the REST layer itself can return. */
function commonErrors(endpoint: Endpoint, hasConditions: boolean): ErrorCode[] {
  const { family, method, open, scope, parameters, variables, reply } = endpoint;
  const takesBody = Object.values(variables).some(({ from }) => from === 'body' || from === 'file');
  return [
    'INVALID_INPUT',
    ...(open ? [] : (['UNAUTHENTICATED'] as const)),
    ...(open || scope === 'none' ? [] : (['FORBIDDEN'] as const)),
    ...(family.check && !open ? (['UNSUPPORTED_VERSION'] as const) : []),
    ...(parameters.length > 0 ? (['NOT_FOUND'] as const) : []),
    ...(reply.kind === 'file' ? [] : (['NOT_ACCEPTABLE'] as const)),
    ...(hasConditions ? (['PRECONDITION_FAILED'] as const) : []),
    ...(method === 'GET' ? [] : (['REQUEST_TIMEOUT', 'TOO_LARGE'] as const)),
    ...(takesBody ? (['UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(takesKey(endpoint) ? (['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
    'RATE_LIMITED',
    'INTERNAL',
    'UNAVAILABLE',
    ...(isListed(endpoint) ? (['TIMED_OUT'] as const) : []),
  ];
}
