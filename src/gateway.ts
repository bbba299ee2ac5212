import type { IncomingMessage } from 'node:http';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import type { Authenticate } from './auth/authenticate.ts';
import type { Viewer } from './auth/viewer.ts';
import { type Context, type ContextParts, createContext, type RequestInfo } from './context.ts';
import { type FailureLog, mapDatabaseErrors, maskResultError } from './error-masking.ts';
import type { ServiceError } from './errors.ts';
import { ArgumentChecks } from './graphql/execution/argument-checks.ts';
import { compileOperation, type JitOperation } from './graphql/execution/jit.ts';
import { operationOf } from './graphql/execution/operation-of.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** A GraphQL operation, parsed and validated once at start, and compiled on its first run. */
export interface Operation {
  readonly name: string;
  readonly definition: OperationDefinitionNode;
  readonly text: string;
}

interface Prepared extends Operation {
  readonly document: DocumentNode;
  /** Compiled on the first run; undefined if graphql-js runs the operation. */
  readonly compiled: JitOperation | undefined;
}

export type Variables = Readonly<Record<string, unknown>>;
type Result = ExecutionResult<Record<string, unknown>>;

/** The REST layer's interface to the rest of the service: GraphQL operations and authentication. */
export interface Gateway {
  readonly schema: GraphQLSchema;
  /** Parses and validates; throws an Error listing every violation if the text does not match the schema. */
  prepare(text: string): Operation;
  /** Runs a prepared operation; returns a GraphQL result and never throws. */
  run(operation: Operation, variables: Variables, context: Context): Promise<Result> | Result;
  /** What a prepared operation refuses (INVALID_INPUT) of the variables that it has, when others are invalid; it is not run. */
  refusalOf(operation: Operation, variables: Variables, context: Context): Promise<ServiceError | undefined>;
  /**
   * The sender of the request: undefined without a credential; throws UNAUTHENTICATED for an invalid one.
   * `changes`: the request may change data, so it must not be forged by a foreign page (CSRF).
   */
  authenticate(request: IncomingMessage, changes: boolean): Promise<Viewer | undefined> | Viewer | undefined;
  /**
   * Throws the same for a request still being received or answered, without counting it again (RATE_LIMIT_PER_MINUTE).
   * Returns when its credential was last checked, by performance.now(): one `checked` a moment ago is not checked again.
   */
  recheck(request: IncomingMessage, checked?: number): Promise<number> | number;
  /**
   * The context of resolvers on behalf of that viewer; dispose of it once the answer is sent. A request that may be
   * repeated (Idempotency-Key) has a seed, by which it recognizes what it wrote the first time.
   */
  open(viewer: Viewer | undefined, info: RequestInfo): Context;
}

interface GatewayParts extends ContextParts {
  readonly schema: GraphQLSchema;
  readonly authenticate: Authenticate;
  readonly recheck: Authenticate;
  readonly log: FailureLog;
  /** Whether graphql-jit compiles operations; otherwise graphql-js runs them. */
  readonly jit: boolean;
  /** Undefined if nothing is traced. */
  readonly tracing?: Pick<Tracing, 'operation'> | undefined;
}

/** Creates the gateway over a schema and its stores. */
export function createGateway(parts: GatewayParts): Gateway {
  const { schema, authenticate, log, jit, tracing } = parts;
  const checks = new ArgumentChecks(schema);
  const prepared = jit ? preparedFor(schema) : new Map<string, Prepared>();
  const shown = (result: Result, { requestId }: Context): Result =>
    result.errors === undefined
      ? result
      : { ...result, errors: result.errors.map((error: GraphQLError) => maskResultError(error, requestId, log)) };
  const run = (operation: Operation, variables: Variables, context: Context): Promise<Result> | Result => {
    const { name, document, compiled } = operation as Prepared;
    const result = checks.before(
      { document, operationName: name, variables, context },
      () =>
        compiled?.run(variables, context) ??
        execute({ schema, document, variableValues: variables, contextValue: context }),
    ) as Result | Promise<Result>;
    return result instanceof Promise ? result.then((done) => shown(done, context)) : shown(result, context);
  };
  const mapped = (viewer: ReturnType<Authenticate>): ReturnType<Authenticate> =>
    viewer instanceof Promise ? mapDatabaseErrors(viewer) : viewer;
  return {
    schema,
    authenticate: (request, changes) => mapped(authenticate(request, changes)),
    recheck(request, checked) {
      const now = performance.now();
      if (checked !== undefined && now - checked <= RECHECK_MS) return checked;
      const viewer = mapped(parts.recheck(request, false));
      return viewer instanceof Promise ? viewer.then(() => now) : now;
    },
    prepare(text) {
      const known = prepared.get(text) ?? prepare(schema, text, jit);
      prepared.set(text, known);
      return known;
    },
    open: (viewer, info) => createContext(parts, viewer, info),
    refusalOf: ({ definition }, variables, context) =>
      mapDatabaseErrors(checks.refusalOf(definition, variables, context)),
    run:
      tracing === undefined
        ? run
        : (operation, ...rest) => {
            const { name, definition } = operation;
            return tracing.operation({ name, type: definition.operation, isOurs: true }, () => run(operation, ...rest));
          },
  };
}

/** If a body takes longer than this to arrive, or an answer to send, the credential is checked again. */
const RECHECK_MS = 1_000;

const preparedBySchema = new WeakMap<GraphQLSchema, Map<string, Prepared>>();

/** The operations of a schema, shared by the gateways of one process. */
function preparedFor(schema: GraphQLSchema): Map<string, Prepared> {
  const prepared = preparedBySchema.get(schema) ?? new Map<string, Prepared>();
  preparedBySchema.set(schema, prepared);
  return prepared;
}

function prepare(schema: GraphQLSchema, text: string, jit: boolean): Prepared {
  const document = parse(text);
  const violations = validate(schema, document);
  if (violations.length > 0) throw new Error(violations.map(({ message }) => message).join('\n'));
  const definition = operationOf(document, undefined);
  if (!definition?.name) throw new Error('an operation must have a name');
  const name = definition.name.value;
  let compiled: JitOperation | undefined;
  let isCompiled = !jit;
  return {
    ...{ name, definition, text, document },
    get compiled() {
      if (!isCompiled) compiled = compileOperation(schema, document, name);
      isCompiled = true;
      return compiled;
    },
  };
}
