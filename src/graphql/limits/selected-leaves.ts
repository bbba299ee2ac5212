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
  type SelectionSetNode,
} from 'graphql';
import { eachSelected } from '../../../schema/building/selected-fields.ts';

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
function sizeOfLeaves(whole: SelectionSetNode, info: GraphQLResolveInfo): number {
  const sizes = new Map<string, number>();
  eachSelected({ sets: [whole], type: getNamedType(info.returnType) }, info, (node, type) => {
    if (!node.selectionSet) sizes.set((node.alias ?? node.name).value, sizeOf(type, node));
  });
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
