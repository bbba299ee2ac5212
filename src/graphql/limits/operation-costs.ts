import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { invalidInput } from '../../errors.ts';
import type { Execution } from '../execution/compiled-queries.ts';
import { operationOf } from '../execution/operation-of.ts';
import { requestError } from '../request-error.ts';
import { type CostRow, costOf, costRows, sizesOf } from './cost.ts';
import { type CostPlan, planCost } from './cost-plan.ts';

/** What one operation may cost (contract §11). */
export interface CostLimits {
  readonly maxCost: number;
  /** Items of a page. */
  readonly maxPageSize: number;
}

/** The estimate of an operation as `extensions.cost` shows it. */
export interface CostReport {
  readonly estimated: number;
  readonly limit: number;
  /** The dearest places: objects that are expected there, and what they cost without those below. */
  readonly dearest: readonly CostRow[];
}

interface Planned {
  readonly plan: CostPlan;
  readonly known: Map<string, number>;
}

/** Costs that are remembered for each operation, by the page sizes in its variables. */
const REMEMBERED = 100;

/** Estimates what operations cost before they run: the plan once for each text, the number once for the page sizes in it. */
export class OperationCosts {
  readonly #schema: GraphQLSchema;
  readonly #limits: CostLimits;
  readonly #planned = new WeakMap<DocumentNode, Map<string, Planned>>();

  constructor(schema: GraphQLSchema, limits: CostLimits) {
    this.#schema = schema;
    this.#limits = limits;
  }

  /** Why the operation may not run; undefined when it may. */
  refusal(execution: Execution): GraphQLError | undefined {
    const planned = this.#plan(execution);
    if (!planned) return undefined; // there is no such operation, which execution says better
    const { maxCost, maxPageSize } = this.#limits;
    const sizes = sizesOf(planned.plan, execution.variables);
    if (Math.max(planned.plan.largestPage, ...sizes.values()) > maxPageSize) {
      const fault = invalidInput([{ parameter: 'first', message: `must be from 1 to ${maxPageSize}.` }]);
      return new GraphQLError(fault.message, { extensions: fault.extensions });
    }
    const key = [...sizes.values()].join();
    const cost = planned.known.get(key) ?? costOf(planned.plan, sizes);
    if (planned.known.size < REMEMBERED) planned.known.set(key, cost);
    if (cost <= maxCost) return undefined;
    return requestError(
      'GRAPHQL_VALIDATION_FAILED',
      `The operation would cost about ${Number.isFinite(cost) ? cost : 'more than can be counted'}; at most ${maxCost} is allowed. Ask for smaller pages or fewer relations: extensions.cost says what is dear.`,
      { cost: this.report(execution) },
    );
  }

  /** The estimate with its parts. */
  report(execution: Execution): CostReport | undefined {
    const planned = this.#plan(execution);
    if (!planned) return undefined;
    const sizes = sizesOf(planned.plan, execution.variables);
    return {
      estimated: Math.min(costOf(planned.plan, sizes), Number.MAX_SAFE_INTEGER),
      limit: this.#limits.maxCost,
      dearest: costRows(planned.plan, sizes),
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
