import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { invalidInput } from '../../errors.ts';
import type { Execution } from '../execution/compiled-queries.ts';
import { conditionsIn, isIncluded } from '../execution/conditions.ts';
import { operationOf } from '../execution/operation-of.ts';
import { requestError } from '../request-error.ts';
import { type CostRow, costOf, costRows } from './cost.ts';
import type { Figures, PageSize } from './cost-figures.ts';
import { type CostPlan, planCost } from './cost-plan.ts';
import { introspectionRefusal } from './introspection-size.ts';

/** The limits on the cost of one operation (contract §12). */
interface CostLimits {
  readonly maxCost: number;
  /** The maximum number of items on a page. */
  readonly maxPageSize: number;
}

/** The cost of an operation as `extensions.cost` shows it. */
interface CostReport {
  /** The estimate before it runs, from text and variables. */
  readonly estimated: number;
  /** The cost resolved; absent if the operation did not run. */
  readonly counted?: number;
  readonly limit: number;
  /** The most expensive fields of the estimate: the expected objects, and their cost without the fields below. */
  readonly mostExpensive: readonly CostRow[];
  /** The former name of mostExpensive; removed in 1.0. */
  readonly dearest: readonly CostRow[];
}

/** The plans of one document, by operation and by the values of its @skip and @include variables. */
interface Plans {
  readonly conditions: readonly string[];
  readonly planned: Map<string, Planned>;
}

interface Planned {
  readonly plan: CostPlan;
  readonly known: Map<string, number>;
}

/** A planned operation and the figures of a request. */
interface Request extends Planned {
  readonly figures: Figures;
}

/** The number of costs cached per operation, keyed by its figures. */
const CACHED_COSTS = 100;
/** The maximum number of @skip and @include variables that plans depend on; with more, everything counts. */
const MAX_CONDITIONS = 4;

/** Estimates the cost of operations before they run; plans are cached per document, costs per combination of figures. */
export class OperationCosts {
  readonly #schema: GraphQLSchema;
  readonly #limits: CostLimits;
  readonly #plans = new WeakMap<DocumentNode, Plans>();

  constructor(schema: GraphQLSchema, limits: CostLimits) {
    this.#schema = schema;
    this.#limits = limits;
  }

  /** The error for an operation that exceeds a limit; undefined if it may run. */
  refusal(execution: Execution): GraphQLError | undefined {
    return introspectionRefusal(this.#schema, execution) ?? this.#costRefusal(execution);
  }

  #costRefusal(execution: Execution): GraphQLError | undefined {
    const request = this.#request(execution);
    if (!request) return undefined; // execution reports an unknown operation with a better message
    const { maxCost, maxPageSize } = this.#limits;
    const { plan, known, figures } = request;
    const tooLarge = plan.figures.pagesAbove(maxPageSize, figures);
    if (tooLarge.length > 0) return pagesTooLarge(tooLarge, maxPageSize);
    const key = figures.join();
    const cost = known.get(key) ?? costOf(plan, figures);
    if (known.size < CACHED_COSTS) known.set(key, cost);
    if (cost <= maxCost) return undefined;
    return requestError(
      'GRAPHQL_VALIDATION_FAILED',
      `The operation would cost about ${Number.isFinite(cost) ? cost : 'more than can be counted'}; at most ${maxCost} is allowed. Ask for smaller pages or fewer relations: extensions.cost lists the most expensive fields.`,
      { cost: this.report(execution) },
    );
  }

  /** The estimated cost, the fields that contribute most, and the cost counted at run time. */
  report(execution: Execution, counted?: number): CostReport | undefined {
    const request = this.#request(execution);
    if (!request) return undefined;
    const mostExpensive = costRows(request.plan, request.figures);
    return {
      estimated: Math.min(costOf(request.plan, request.figures), Number.MAX_SAFE_INTEGER),
      ...(counted !== undefined && { counted }),
      limit: this.#limits.maxCost,
      mostExpensive,
      dearest: mostExpensive,
    };
  }

  #request(execution: Execution): Request | undefined {
    const planned = this.#plan(execution);
    return planned && { ...planned, figures: planned.plan.figures.of(execution.variables) };
  }

  #plan({ document, operationName = '', variables }: Execution): Planned | undefined {
    const operation = operationOf(document, operationName);
    if (!operation) return undefined;
    const plans = this.#plans.get(document) ?? { conditions: conditionsIn(document), planned: new Map() };
    this.#plans.set(document, plans);
    const { conditions, planned } = plans;
    const values = conditionValues(operation, conditions, variables);
    const key = `${operationName} ${values ? conditions.map((name) => values[name]).join() : ''}`;
    const known = planned.get(key);
    if (known) return known;
    const includes = values ? (directives: readonly DirectiveNode[]) => isIncluded(directives, values) : () => true;
    const plan = planCost(this.#schema, document, { operation, isIncluded: includes });
    const made = { plan, known: new Map<string, number>() };
    planned.set(key, made);
    return made;
  }
}

/** The error for pages that are too large, located at their fields. */
function pagesTooLarge(pages: readonly PageSize[], most: number): GraphQLError {
  const { message, extensions } = invalidInput(
    pages.map(({ argument, field }) => ({
      parameter: argument.name.value,
      message: `must be at most ${most} in the field ${field.name.value}.`,
    })),
  );
  return new GraphQLError(message, { nodes: pages.map(({ field }) => field), extensions });
}

/** The values of @skip and @include variables; undefined if there are too many, or one has none. */
function conditionValues(
  { variableDefinitions = [] }: OperationDefinitionNode,
  conditions: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, boolean>> | undefined {
  if (conditions.length > MAX_CONDITIONS) return undefined;
  const values: Record<string, boolean> = {};
  for (const name of conditions) {
    const standard = variableDefinitions.find(({ variable }) => variable.name.value === name)?.defaultValue;
    const value = given[name] ?? (standard?.kind === Kind.BOOLEAN ? standard.value : undefined);
    if (typeof value !== 'boolean') return undefined;
    values[name] = value;
  }
  return values;
}
