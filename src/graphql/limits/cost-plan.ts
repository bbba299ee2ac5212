import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { holdsVariable } from '../execution/nodes.ts';
import { applies, fragmentsOf } from '../execution/operation-of.ts';
import { ARGUMENT_COSTS } from './argument-cost.ts';
import { FigureList } from './cost-figures.ts';

/** The cost of a schema field, declared in `extensions.cost`. */
export interface FieldCost {
  /** The cost of each object or value; by default 1 for objects and 0 for values. */
  readonly weight?: number;
  /** The cost of resolving the field, whatever it yields; by default 0. */
  readonly call?: number;
  /** Where the number of items of a list without `first` comes from: the page around it, or a list argument. */
  readonly size?: 'page' | { readonly itemsOf: string };
}

/** The default page size. */
const PAGE = 25;
/** The estimated length of a list of unknown length; at run time, its actual length counts. */
const UNKNOWN = 1;
/** The maximum number of planned selections, more than any legitimate operation has. */
const MAX_PLANNED = 20_000;

/**
 * The number of objects that a field yields: a number, the page size of the enclosing connection, or the largest of some
 * figures of the request, with a default if all are absent.
 */
export type Size = number | 'page' | { readonly figures: readonly number[]; readonly standard: number };

/** A field with a cost of its own or below it. */
export interface PlannedField {
  readonly name: string;
  readonly weight: number;
  readonly call: number;
  /** The figures of the request added to `call`. */
  readonly calls: readonly number[];
  readonly size: Size;
  /** Set on a connection: the number of items of its `nodes` or `edges`. */
  readonly page: Size | undefined;
  readonly below: PlannedSet | undefined;
}

/** The fields of one selection set, for each possible object type. */
export type PlannedSet = ReadonlyMap<GraphQLObjectType, readonly PlannedField[]>;

/** The parts of an operation from which its cost is computed; created once per operation. */
export interface CostPlan {
  readonly root: PlannedSet;
  /** The figures that a request's variables set. */
  readonly figures: FigureList;
  /** False if the operation is too large to be planned. */
  readonly whole: boolean;
}

type IsIncluded = (directives: readonly DirectiveNode[]) => boolean;

interface Planned {
  readonly operation: OperationDefinitionNode;
  readonly isIncluded: IsIncluded;
}

/** Plans the cost of a validated operation without the excluded selections; merged fields count once, as they run. */
export function planCost(schema: GraphQLSchema, document: DocumentNode, planned: Planned): CostPlan {
  return new CostPlanner(schema, document, planned).plan();
}

/** The fields of an object type in some selection sets, by response name, and the fragments already in them. */
interface Collected {
  readonly found: Map<string, FieldNode[]>;
  readonly seen: Set<string>;
}

class CostPlanner {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #isIncluded: IsIncluded;
  readonly #fragments: ReturnType<typeof fragmentsOf>;
  readonly #figures: FigureList;
  readonly #plans = new Map<string, PlannedSet>();
  readonly #numbers = new Map<SelectionSetNode, number>();
  #left = MAX_PLANNED;

  constructor(schema: GraphQLSchema, document: DocumentNode, { operation, isIncluded }: Planned) {
    this.#schema = schema;
    this.#operation = operation;
    this.#isIncluded = isIncluded;
    this.#fragments = fragmentsOf(document);
    this.#figures = new FigureList(operation);
  }

  plan(): CostPlan {
    const { operation, selectionSet } = this.#operation;
    const type = this.#schema.getRootType(operation);
    const root = type ? this.#planSets([selectionSet], type) : new Map();
    return { root, figures: this.#figures, whole: this.#left >= 0 };
  }

  #planSets(sets: readonly SelectionSetNode[], type: GraphQLNamedType): PlannedSet {
    const key = `${sets.map((set) => this.#numberOf(set)).join()} ${type.name}`;
    const known = this.#plans.get(key);
    if (known) return known;
    const plan = new Map<GraphQLObjectType, readonly PlannedField[]>();
    this.#plans.set(key, plan);
    for (const each of isAbstractType(type) ? this.#schema.getPossibleTypes(type) : [type]) {
      if (!isObjectType(each)) continue;
      const found = new Map<string, FieldNode[]>();
      const seen = new Set<string>();
      for (const set of sets) this.#collect(set, each, { found, seen });
      plan.set(
        each,
        [...found.values()].flatMap((nodes) => this.#planField(nodes, each)),
      );
    }
    return plan;
  }

  #numberOf(set: SelectionSetNode): number {
    const number = this.#numbers.get(set) ?? this.#numbers.size;
    this.#numbers.set(set, number);
    return number;
  }

  #collect({ selections }: SelectionSetNode, type: GraphQLObjectType, into: Collected): void {
    for (const selection of selections) {
      this.#left -= 1;
      if (this.#left < 0) return;
      if (selection.directives?.length && !this.#isIncluded(selection.directives)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const same = into.found.get(name);
        if (same) same.push(selection);
        else into.found.set(name, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.#collectFragment(selection, type, into);
      } else if (!into.seen.has(selection.name.value)) {
        into.seen.add(selection.name.value);
        const fragment = this.#fragments[selection.name.value];
        if (fragment) this.#collectFragment(fragment, type, into);
      }
    }
  }

  #collectFragment(
    fragment: FragmentDefinitionNode | InlineFragmentNode,
    type: GraphQLObjectType,
    into: Collected,
  ): void {
    if (applies(this.#schema, fragment.typeCondition?.name.value, type))
      this.#collect(fragment.selectionSet, type, into);
  }

  /** Plans all selections of one response name, which run as one field. */
  #planField(nodes: readonly FieldNode[], parent: GraphQLObjectType): PlannedField[] {
    const [node] = nodes;
    const field = node && this.#schema.getField(parent, node.name.value);
    if (!field) return [];
    const type = getNamedType(field.type);
    const isObject = isCompositeType(type);
    const sets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
    const below = isObject && sets.length > 0 ? this.#planSets(sets, type) : undefined;
    const { weight = isObject ? 1 : 0, call = 0, size } = (field.extensions.cost ?? {}) as FieldCost;
    const given = node.arguments ?? [];
    const asked = this.#sizeOf(node, field, size);
    const added = this.#argumentCosts(given);
    if (weight === 0 && call + added.call === 0 && added.calls.length === 0 && !below) return [];
    return [
      {
        name: (node.alias ?? node.name).value,
        weight,
        call: call + added.call,
        calls: added.calls,
        size: isList(field.type) ? (asked ?? UNKNOWN) : 1,
        page: type.extensions.page ? (asked ?? PAGE) : undefined,
        below,
      },
    ];
  }

  /** The larger of `first` and `last` where the field has them; null counts as absent. */
  #sizeOf(node: FieldNode, { args }: GraphQLField<unknown, unknown>, size: FieldCost['size']): Size | undefined {
    const { arguments: given = [] } = node;
    if (typeof size === 'object') {
      const items = given.find(({ name }) => name.value === size.itemsOf);
      return items && { figures: [this.#figures.add(items.value, itemsIn)], standard: UNKNOWN };
    }
    const first = args.find(({ name }) => name === 'first');
    if (!first) return size;
    const asked = given.filter(({ name }) => name.value === 'first' || name.value === 'last');
    return {
      figures: asked.map((argument) => this.#figures.addPage({ argument, field: node })),
      standard: standardOf(first),
    };
  }

  #argumentCosts(given: readonly ArgumentNode[]): Pick<PlannedField, 'call' | 'calls'> {
    let call = 0;
    const calls: number[] = [];
    for (const { name, value } of given) {
      const costOf = ARGUMENT_COSTS.get(name.value);
      if (costOf && !holdsVariable(value)) call += costOf(this.#figures.constant(value));
      else if (costOf) calls.push(this.#figures.add(value, costOf));
    }
    return { call, calls };
  }
}

const itemsIn = (value: unknown): number => (Array.isArray(value) ? value.length : 1);

/** The expected number of items of a list without a requested size. */
const standardOf = ({ defaultValue }: GraphQLArgument): number =>
  typeof defaultValue === 'number' ? defaultValue : PAGE;

const isList = (type: GraphQLField<unknown, unknown>['type']): boolean =>
  isListType(isNonNullType(type) ? type.ofType : type);
