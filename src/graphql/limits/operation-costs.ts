import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { invalidInput } from '../../errors.ts';
import type { Execution } from '../execution/compiled-queries.ts';
import { operationOf } from '../execution/operation-of.ts';
import { requestError } from '../request-error.ts';
import { type CostRow, costOf, costRows, sizesOf } from './cost.ts';
import { type CostPlan, planCost } from './cost-plan.ts';

/** The limits on the cost of one operation (contract §11). */
export interface CostLimits {
  readonly maxCost: number;
  /** The maximum number of items on a page. */
  readonly maxPageSize: number;
}

/** The estimate of an operation as `extensions.cost` shows it. */
export interface CostReport {
  readonly estimated: number;
  readonly limit: number;
  /** The most expensive fields: the objects expected there, and their cost without the fields below them. */
  readonly mostExpensive: readonly CostRow[];
  /** The former name of mostExpensive; removed in 1.0. */
  readonly dearest: readonly CostRow[];
}

interface Planned {
  readonly plan: CostPlan;
  readonly known: Map<string, number>;
}

/** The number of costs cached per operation, by the page sizes in its variables. */
const CACHED_COSTS = 100;

/** Estimates the cost of operations before they run; plans are cached per document, costs per combination of page sizes. */
export class OperationCosts {
  readonly #schema: GraphQLSchema;
  readonly #limits: CostLimits;
  readonly #planned = new WeakMap<DocumentNode, Map<string, Planned>>();

  constructor(schema: GraphQLSchema, limits: CostLimits) {
    this.#schema = schema;
    this.#limits = limits;
  }

  /** The error for an operation that exceeds a limit; undefined if it may run. */
  refusal(execution: Execution): GraphQLError | undefined {
    const planned = this.#plan(execution);
    if (!planned) return undefined; // execution reports an unknown operation with a better message
    const { maxCost, maxPageSize } = this.#limits;
    const sizes = sizesOf(planned.plan, execution.variables);
    if (Math.max(planned.plan.largestPage, ...sizes.values()) > maxPageSize) {
      const fault = invalidInput([{ parameter: 'first', message: `must be from 1 to ${maxPageSize}.` }]);
      return new GraphQLError(fault.message, { extensions: fault.extensions });
    }
    const key = [...sizes.values()].join();
    const cost = planned.known.get(key) ?? costOf(planned.plan, sizes);
    if (planned.known.size < CACHED_COSTS) planned.known.set(key, cost);
    if (cost <= maxCost) return undefined;
    return requestError(
      'GRAPHQL_VALIDATION_FAILED',
      `The operation would cost about ${Number.isFinite(cost) ? cost : 'more than can be counted'}; at most ${maxCost} is allowed. Ask for smaller pages or fewer relations: extensions.cost lists the most expensive fields.`,
      { cost: this.report(execution) },
    );
  }

  /** The estimated cost and the fields that contribute most to it. */
  report(execution: Execution): CostReport | undefined {
    const planned = this.#plan(execution);
    if (!planned) return undefined;
    const sizes = sizesOf(planned.plan, execution.variables);
    const mostExpensive = costRows(planned.plan, sizes);
    return {
      estimated: Math.min(costOf(planned.plan, sizes), Number.MAX_SAFE_INTEGER),
      limit: this.#limits.maxCost,
      mostExpensive,
      dearest: mostExpensive,
    };
  }

  #plan({ document, operationName = '' }: Execution): Planned | undefined {
    const plans = this.#planned.get(document) ?? new Map<string, Planned>();
    this.#planned.set(document, plans);
    const known = plans.get(operationName);
    if (known) return known;
    const operation = operationOf(document, operationName);
    if (!operation) return undefined;
    const planned = { plan: planCost(this.#schema, document, operation), known: new Map<string, number>() };
    plans.set(operationName, planned);
    return planned;
  }
}
