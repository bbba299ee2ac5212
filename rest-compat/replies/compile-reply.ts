import { type ExecutionResult, type GraphQLSchema, getNamedType, Kind } from 'graphql';
import { asInArgument, invalidInput, notFound, ServiceError, type Violation } from '../../src/errors.ts';
import type { Operation } from '../../src/gateway.ts';
import { problemOf } from '../../src/http/problem.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Fields, Node } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import { variableFrom } from '../sources/compile-sources.ts';
import type { ArgumentPlace, Binding } from '../sources/source-kind.ts';
import type { ReplyContext, Send } from './reply-kind.ts';
import { kindOf } from './reply-kinds.ts';

/** What a reply needs from its endpoint besides the declaration. */
interface Parts extends Pick<ReplyContext, 'run' | 'readAtOneTime' | 'cookieManner' | 'basePath' | 'recheck'> {
  readonly operation: Operation;
  readonly schema: GraphQLSchema;
  /** Maps arguments named in errors of the operation to their location in the request. */
  readonly places: ReadonlyMap<string, ArgumentPlace>;
}

/** Compiles the last step, after all variables are bound: runs the operation and sends its reply. */
export function compileReply(endpoint: Endpoint, { operation, schema, places, ...rest }: Parts): Send {
  const { reply, method } = endpoint;
  return kindOf(reply).compile(reply, {
    method,
    typeOf: typeReader(operation, schema),
    variableFrom: (from) => variableFrom(from, endpoint),
    ...rest,
    read: resultReader(rootField(operation), places),
  });
}

/** The response name of the operation's only root field. */
function rootField(operation: Operation): string {
  const [field, ...more] = operation.definition.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || more.length > 0) throw new Error('the operation must have exactly one root field');
  return (field.alias ?? field.name).value;
}

/** The object type of an operation's root field, or of one of its fields. */
export function typeReader(operation: Operation, schema: GraphQLSchema): ReplyContext['typeOf'] {
  return (inner) => {
    const [field] = operation.definition.selectionSet.selections;
    const root = schema.getRootType(operation.definition.operation);
    const name = field?.kind === Kind.FIELD ? field.name.value : '';
    const type = getNamedType(root?.getFields()[name]?.type) as Fields | undefined;
    const node = inner && type ? (getNamedType(type.getFields()[inner]?.type) as Fields | undefined) : type;
    if (!node?.getFields) throw new Error(`the root field ${name} has no object to read from`);
    return node;
  };
}

/** Returns the root field of a result, or throws the result's first error with its locations translated to REST. */
function resultReader(root: string, places: ReadonlyMap<string, ArgumentPlace>): ReplyContext['read'] {
  return (exchange, { data, errors }: ExecutionResult) => {
    const [error] = errors ?? [];
    if (error) throw placed(error, exchange, places);
    const node = data?.[root];
    if (node === null || node === undefined) throw notFound('entity', Object.values(exchange.params).at(-1) ?? '');
    return node as Node;
  };
}

/** The same error, with its violations located where the client sent them. */
function placed(error: Error, { binding }: Exchange, places: ReadonlyMap<string, ArgumentPlace>): Error {
  const { code, detail: said, errors, errorsOmitted = 0, headers } = problemOf(error);
  if (errors === undefined) return error;
  if (code === 'PRECONDITION_FAILED' && binding.unmet !== undefined)
    return new ServiceError(code, binding.unmet, { headers });
  const violations = errors.map((violation) => placedIn(binding, places, violation));
  const [first] = violations;
  // A precondition comes from a single header or member, so the REST message names only that.
  if (code !== 'INVALID_INPUT' && errors[0] && 'parameter' in errors[0] && first)
    return new ServiceError(code, `${nameOf(first)} ${first.message}`, { headers });
  const isMoved = code === 'INVALID_INPUT' && JSON.stringify(violations) !== JSON.stringify(errors);
  const detail = isMoved ? invalidInput(violations, errorsOmitted).message : said;
  return new ServiceError(code, detail, { errors: violations, errorsOmitted, headers });
}

/** A violation of the operation, located where the client sent the argument. */
export function placedIn(
  { bodyPrefix, parameterOfField }: Binding,
  places: ReadonlyMap<string, ArgumentPlace>,
  violation: Violation,
): Violation {
  const { message } = violation;
  if ('path' in violation) return { path: bodyPrefix + violation.path, message: inRest(message) };
  const parameter = parameterOfField?.get(violation.parameter);
  if (parameter !== undefined) return { parameter, message };
  return { ...(places.get(violation.parameter) ?? { parameter: violation.parameter }), message };
}

const AS_IN_ARGUMENT = asInArgument('job');
const inRest = (message: string): string =>
  message.endsWith(AS_IN_ARGUMENT) ? `${message.slice(0, -AS_IN_ARGUMENT.length)}, as in the path.` : message;

/** The name of a place in a request: its header or parameter, or the member of its body. */
const nameOf = (place: ArgumentPlace): string => ('parameter' in place ? place.parameter : place.path.slice(1));
