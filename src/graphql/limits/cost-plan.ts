import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The cost of a schema field, declared in `extensions.cost`. */
export interface FieldCost {
  /** The cost of each object or value; by default 1 for objects and 0 for values. */
  readonly weight?: number;
  /** The expected number of items of a list without `first`; 'page' for the items of the connection around it. */
  readonly size?: number | 'page';
}

/** The default page size. */
export const PAGE = 25;
/** The expected number of items of a list without a size argument. */
const LIST = 10;
/** The maximum number of planned fields, more than any legitimate operation has. */
const MAX_PLANNED = 20_000;

/**
 * The number of objects that a field yields: a number, the page size of the enclosing connection, or the maximum of some
 * variables and a number.
 */
export type Size = number | 'page' | { readonly variables: readonly string[]; readonly least: number };

/** A field that has a cost, or a field below it with one. */
export interface PlannedField {
  readonly name: string;
  readonly weight: number;
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
  /** The variables that sizes depend on, with their defaults. */
  readonly variables: ReadonlyMap<string, number>;
  /** The largest page size literal in the text. */
  readonly largestPage: number;
  /** False if the operation is too large to be planned. */
  readonly whole: boolean;
}

/** Plans the cost of a validated operation; each fragment is planned once per type. */
export function planCost(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): CostPlan {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const plans = new Map<SelectionSetNode, Map<GraphQLNamedType, PlannedSet>>();
  const variables = new Map<string, number>();
  let largestPage = 0;
  let left = MAX_PLANNED;

  const planSet = (set: SelectionSetNode, type: GraphQLNamedType): PlannedSet => {
    const known = plans.get(set)?.get(type);
    if (known) return known;
    const plan = new Map<GraphQLObjectType, readonly PlannedField[]>();
    plans.set(set, (plans.get(set) ?? new Map()).set(type, plan));
    for (const each of isAbstractType(type) ? schema.getPossibleTypes(type) : [type]) {
      if (!isObjectType(each)) continue;
      const fields: PlannedField[] = [];
      collect(set, each, fields, new Set());
      plan.set(each, fields);
    }
    return plan;
  };

  const collect = (
    { selections }: SelectionSetNode,
    type: GraphQLObjectType,
    fields: PlannedField[],
    seen: Set<string>,
  ): void => {
    for (const selection of selections) {
      left -= 1;
      if (left < 0) return;
      if (selection.kind === Kind.FIELD) {
        const planned = planField(selection, schema.getField(type, selection.name.value));
        if (planned) fields.push(planned);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection.typeCondition?.name.value, type)) collect(selection.selectionSet, type, fields, seen);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment && applies(fragment.typeCondition.name.value, type)) {
          collect(fragment.selectionSet, type, fields, seen);
        }
      }
    }
  };

  const applies = (name: string | undefined, type: GraphQLObjectType): boolean => {
    const condition = name === undefined ? type : schema.getType(name);
    return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
  };

  const planField = (node: FieldNode, field: GraphQLField<unknown, unknown> | undefined): PlannedField | undefined => {
    if (!field) return undefined;
    const type = getNamedType(field.type);
    const { weight, size } = (field.extensions.cost ?? {}) as FieldCost;
    const isObject = isCompositeType(type);
    const below = node.selectionSet && isObject ? planSet(node.selectionSet, type) : undefined;
    const first = field.args.find(({ name }) => name === 'first');
    const asked = first && sizeOf(node.arguments ?? [], standardOf(first));
    const planned = {
      name: (node.alias ?? node.name).value,
      weight: weight ?? (isObject ? 1 : 0),
      size: isList(field.type) ? (asked ?? size ?? LIST) : 1,
      page: type.extensions.page ? (asked ?? PAGE) : undefined,
      below,
    } as const;
    return planned.weight === 0 && !below ? undefined : planned;
  };

  /** The size given by `first` or `last`, the larger one if both are present; null counts as absent. */
  const sizeOf = (args: readonly ArgumentNode[], standard: number): Size => {
    const values = args.filter(({ name }) => name.value === 'first' || name.value === 'last').map(({ value }) => value);
    const numbers = values.flatMap((value) => (value.kind === Kind.INT ? [Number(value.value)] : []));
    const named = values.flatMap((value) => (value.kind === Kind.VARIABLE ? [value.name.value] : []));
    largestPage = Math.max(largestPage, ...numbers);
    if (named.length === 0) return numbers.length > 0 ? Math.max(...numbers) : standard;
    for (const variable of named) {
      const given = operation.variableDefinitions?.find((one) => one.variable.name.value === variable)?.defaultValue;
      variables.set(variable, given?.kind === Kind.INT ? Number(given.value) : standard);
    }
    return { variables: named, least: Math.max(0, ...numbers) };
  };

  const rootType = schema.getRootType(operation.operation);
  const root = rootType ? planSet(operation.selectionSet, rootType) : new Map();
  return { root, variables, largestPage, whole: left >= 0 };
}

/** The expected number of items of a list without a requested size. */
const standardOf = ({ defaultValue }: GraphQLArgument): number =>
  typeof defaultValue === 'number' ? defaultValue : PAGE;

const isList = (type: GraphQLField<unknown, unknown>['type']): boolean =>
  isListType(isNonNullType(type) ? type.ofType : type);
