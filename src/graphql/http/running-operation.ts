import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  OperationTypeNode,
} from 'graphql';
import type { Context } from '../../context.ts';
import type { Gateway } from '../../gateway.ts';
import { type AnswerRoom, LARGE_ANSWER } from '../../http/rooms/answer-room.ts';
import { withoutStatus } from '../changed-error.ts';
import type { ArgumentChecks } from '../execution/argument-checks.ts';
import type { CompiledQueries, Execution } from '../execution/compiled-queries.ts';
import { withNodes } from '../execution/error-nodes.ts';
import { withoutSwallowed } from '../execution/errors-of-nulls.ts';
import { longTexts } from '../execution/leaf-serializers.ts';
import { operationOf } from '../execution/operation-of.ts';
import { AnswerBudget } from '../limits/answer-budget.ts';
import type { OperationCosts } from '../limits/operation-costs.ts';
import type { OperationParts } from '../operation-parts.ts';
import { abandoned, asGraphQLError } from '../request-error.ts';
import type { GraphqlRequest } from './graphql-request.ts';

/** What queries and mutations run with. */
export interface RunningParts extends OperationParts {
  readonly gateway: Pick<Gateway, 'recheck'>;
  /** Undefined if graphql-js executes every operation. */
  readonly queries: CompiledQueries | undefined;
  readonly costs: OperationCosts;
  readonly checks: ArgumentChecks;
}

/** The request of an operation, and the schema it is run on. */
interface Asked {
  readonly schema: GraphQLSchema;
  readonly contextValue: Context & GraphqlRequest;
}

/** A result with a serializer of our own, which Yoga calls. */
type Written = ExecutionResult & { readonly stringify: (result: object) => string };

/** The request header that adds the cost to the response. */
const EXPLAIN = 'x-explain-cost';

/**
 * One query or mutation, from its start to its response. It is aborted if it takes too long, and refused if its credential ends
 * meanwhile; its errors include the request id, and of those below a null, only the one that caused it is kept.
 */
export class RunningOperation {
  readonly #parts: RunningParts;
  readonly #execution: Execution;
  readonly #schema: GraphQLSchema;
  readonly #request: Context & GraphqlRequest;
  readonly #recipient: Parameters<AnswerRoom['beforeWrite']>[0];
  readonly #began = performance.now();
  /** Only queries are aborted: a mutation completes or has no effect. */
  readonly #changes: boolean;
  readonly #isExplained: boolean;
  readonly #answer: AnswerBudget;

  constructor(execution: Execution, { schema, contextValue }: Asked, parts: RunningParts) {
    const { context } = execution;
    const { timeoutMs, maxAnswerBytes, maxCost } = parts;
    this.#parts = parts;
    this.#execution = execution;
    this.#schema = schema;
    this.#request = contextValue;
    this.#recipient = { response: contextValue.res, tenant: contextValue.viewer?.tenant };
    this.#changes = !isQuery(execution);
    this.#isExplained = EXPLAIN in contextValue.req.headers;
    this.#answer = new AnswerBudget({ bytes: maxAnswerBytes, cost: maxCost, changes: this.#changes });
    if (timeoutMs > 0 && !this.#changes) context.limitTime(timeoutMs);
    context.answer = this.#answer;
    context.limitRows(this.#answer.rows);
  }

  /** Runs it by graphql-js with these arguments unless it is compiled; a mutation waits until its response has room. */
  run(ordinary: ExecutionArgs): Promise<Written> | Written {
    const { answerRoom, gateway } = this.#parts;
    const turn = this.#changes ? answerRoom.beforeWrite(this.#recipient) : undefined;
    if (!turn) return this.#run(ordinary);
    return turn
      .then(() => gateway.recheck(this.#request.req, this.#began))
      .then(
        () => this.#run(ordinary),
        (error) => this.#failed(error),
      );
  }

  #run(ordinary: ExecutionArgs): Promise<Written> | Written {
    const { watch } = this.#parts;
    try {
      watch.check(this.#changes);
    } catch (error) {
      return this.#failed(error);
    }
    const result = this.#result(ordinary);
    if (!(result instanceof Promise)) return this.#inRoom(this.#written(result));
    return watch
      .race(result, this.#changes)
      .then((found) => this.#allowed(found))
      .catch((error) => this.#failed(error));
  }

  #result(ordinary: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
    const { checks, queries } = this.#parts;
    return this.#answer.limit(
      checks.before(this.#execution, () => {
        const before = longTexts();
        const compiled = queries?.run(this.#execution);
        if (compiled) this.#answer.watchTexts(before);
        return compiled ?? execute(ordinary);
      }),
    );
  }

  /** The response, if the credential is still valid. */
  #allowed(result: ExecutionResult): Promise<Written> | Written {
    const checked = this.#changes || this.#parts.gateway.recheck(this.#request.req, this.#began);
    return checked instanceof Promise
      ? checked.then(() => this.#inRoom(this.#written(result)))
      : this.#inRoom(this.#written(result));
  }

  /** The response once it has room; that of a mutation is never refused. */
  #inRoom(result: Written): Promise<Written> | Written {
    const characters = this.#answer.charactersOf(result);
    if (characters <= LARGE_ANSWER) return result;
    const claim = { ...this.#recipient, characters, mayBeRefused: !this.#changes };
    return this.#parts.answerRoom.take(claim).then(
      () => result,
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown): Written {
    return this.#written(abandoned(error as Error));
  }

  #written(result: ExecutionResult): Written {
    return {
      ...(result.errors || this.#isExplained ? this.#shown(result) : result),
      stringify: this.#answer.write,
    };
  }

  /** A result with its errors as the client sees them, and its cost if asked for. */
  #shown({ errors, ...result }: ExecutionResult): ExecutionResult {
    const { document } = this.#execution;
    return {
      ...(errors && {
        errors: withoutSwallowed(
          withNodes(errors, document).map((error) => ofResult(result, this.#masked(error))),
          { ...this.#execution, schema: this.#schema, data: result.data },
        ),
      }),
      ...result,
      ...(this.#isExplained && { extensions: { ...result.extensions, cost: this.#cost() } }),
    };
  }

  #masked(error: GraphQLError): GraphQLError {
    const shown = asGraphQLError(error, this.#parts.log, this.#execution.context.requestId);
    if (isServerSide(shown)) this.#request.logged.cause ??= error;
    if (shown.extensions.code === 'COST_EXCEEDED') shown.extensions.cost = this.#cost();
    return shown;
  }

  #cost() {
    return this.#parts.costs.report(this.#execution, this.#answer.cost);
  }
}

const isQuery = ({ document, operationName }: Execution): boolean =>
  operationOf(document, operationName)?.operation === OperationTypeNode.QUERY;

const isServerSide = ({ extensions: { http } }: GraphQLError): boolean => Number((http as Http)?.status) >= 500;
type Http = { readonly status?: number } | undefined;

/**
 * A field error does not change the status of a response with data, as GraphQL over HTTP requires; only a missing
 * credential is always 401 (contract §11).
 */
const ofResult = ({ data }: ExecutionResult, error: GraphQLError): GraphQLError =>
  !data || error.extensions.code === 'UNAUTHENTICATED' ? error : withoutStatus(error);
