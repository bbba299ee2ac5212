import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Quotes, colon, comma, and one character of a value. */
const AROUND_NAME = 5;
const TYPE_NAME = 16;

/** The minimum size of values of these types, created anew wherever selected. */
const SIZES: Readonly<Record<string, number>> = { UUID: 37, DateTime: 25 };
/** The same for a non-null text: those are short, or shared by all places that show them. */
const TEXT = 16;

const known = new WeakMap<FieldNode, number>();

/** The approximate bytes that the selected leaves without a resolver add to each object of a field. */
export function selectedLeaves(info: GraphQLResolveInfo): number {
  const { fieldNodes } = info;
  let sum = 0;
  for (const node of fieldNodes) {
    let size = known.get(node);
    if (size === undefined) {
      size = node.selectionSet ? sizeOfLeaves(node.selectionSet, info) : 0;
      known.set(node, size);
    }
    sum += size;
  }
  return sum;
}

/** Each response name counts once, however many fragments have it. */
function sizeOfLeaves(whole: SelectionSetNode, { returnType, fragments, schema }: GraphQLResolveInfo): number {
  const sizes = new Map<string, number>();
  const spread = new Set<string>();
  const collect = (set: SelectionSetNode, type: GraphQLNamedType | undefined): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        if (!selection.selectionSet) sizes.set((selection.alias ?? selection.name).value, sizeOf(type, selection));
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      const condition = fragment?.typeCondition?.name.value;
      if (fragment) collect(fragment.selectionSet, condition === undefined ? type : schema.getType(condition));
    }
  };
  collect(whole, getNamedType(returnType));
  let sum = 0;
  for (const [name, size] of sizes) sum += size === 0 ? 0 : name.length + AROUND_NAME + size;
  return sum;
}

/** 0 for a field with a resolver, which counts itself. */
function sizeOf(type: GraphQLNamedType | undefined, { name }: FieldNode): number {
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name.value] : undefined;
  if (!field) return TYPE_NAME;
  return field.resolve ? 0 : sizeOfLeaf(field);
}

function sizeOfLeaf({ type }: GraphQLField<unknown, unknown>): number {
  const named = getNamedType(type);
  if (!isLeafType(named)) return 0;
  return SIZES[named.name] ?? (isNonNullType(type) ? TEXT : 1);
}
