import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
} from 'graphql';
import type { Context } from '../../context.ts';
import { RawJson } from '../../model/raw-json.ts';
import { ARGUMENT_COSTS, argumentsCost } from './argument-cost.ts';
import type { FieldCost } from './cost-plan.ts';
import { selectedLeaves } from './selected-leaves.ts';

/** The minimum overhead of a value in bytes: its name, quotes, colon and comma. */
const NAME = 5;
/** The minimum count of an object in bytes; it takes more memory than its few bytes in a response. */
const OBJECT = 128;
const NUMBER = 2;
/** The count of an error in bytes: it takes more memory than its text in a response. */
const ERROR = 4_096;

type Resolve = GraphQLFieldResolver<unknown, Context>;
type Field = GraphQLFieldConfig<unknown, Context>;

/** Leaves of these types, if read in place, are counted with their object: their texts are shared or short. */
const READ_IN_PLACE: ReadonlySet<string> = new Set(['String', 'ID', 'UUID', 'DateTime', 'Int', 'Float', 'Boolean']);

/**
 * The schema with resolvers that count the cost of an operation and the size of its response if the context has a budget.
 * Fields without a resolver get none, because compiled operations read them in place: they are counted with their object,
 * and their texts exactly, before the response is written (`AnswerBudget`).
 */
export function counted(schema: GraphQLSchema): GraphQLSchema {
  const known = countedBySchema.get(schema);
  if (known) return known;
  const made = mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field: Field) =>
      isReadInPlace(field) ? field : { ...field, resolve: countedField(field) },
  });
  countedBySchema.set(schema, made);
  return made;
}

/** Shared by the gateways of a process. */
const countedBySchema = new WeakMap<GraphQLSchema, GraphQLSchema>();

function isReadInPlace({ resolve, type }: Field): boolean {
  const leaf = getNullableType(type);
  return resolve === undefined && (isEnumType(leaf) || (isLeafType(leaf) && READ_IN_PLACE.has(leaf.name)));
}

function countedField(field: Field): Resolve {
  const resolve = field.resolve ?? (defaultFieldResolver as Resolve);
  const isLeaf = isLeafType(getNamedType(field.type));
  const { weight = isLeaf ? 0 : 1, call = 0 } = (field.extensions?.cost ?? {}) as FieldCost;
  const addsCost = Object.keys(field.args ?? {}).some((name) => ARGUMENT_COSTS.has(name));
  const callCost = addsCost ? (args: Arguments) => call + argumentsCost(args) : call;
  if (isLeaf) return countingValue(resolve, { callCost, weight, sizeOf });
  if (isListType(getNullableType(field.type)))
    return countingValue(resolve, { callCost, weight, sizeOf: sizesOfList() });
  const size = sizesOfObject();
  return (source, args, context, info) => {
    const { answer } = context;
    if (!answer) return resolve(source, args, context, info);
    if (!answer.spend(size(info), costOf(callCost, args) + weight)) return answer.stalled;
    try {
      return resolve(source, args, context, info);
    } catch (error) {
      return answer.fail(error, ERROR);
    }
  };
}

type Arguments = Readonly<Record<string, unknown>>;
type SizeOf = (value: unknown, info: GraphQLResolveInfo) => number;
/** The cost of a call: fixed, or computed from its arguments. */
type CallCost = number | ((args: Arguments) => number);

const costOf = (cost: CallCost, args: Arguments): number => (typeof cost === 'number' ? cost : cost(args));

interface Counting {
  readonly callCost: CallCost;
  readonly weight: number;
  readonly sizeOf: SizeOf;
}

/** Counts the cost of the call before it is made, and the value once resolved; none is measured once the budget is spent. */
function countingValue(resolve: Resolve, { callCost, weight, sizeOf: sizeOfValue }: Counting): Resolve {
  return (source, args, context, info) => {
    const { answer } = context;
    if (!answer) return resolve(source, args, context, info);
    if (!answer.spend(NAME, costOf(callCost, args))) return answer.stalled;
    const count = (found: unknown) =>
      !answer.isSpent && answer.spend(sizeOfValue(found, info), weight * itemsIn(found)) ? found : answer.stalled;
    try {
      const value = resolve(source, args, context, info);
      if (!(value instanceof Promise)) return count(value);
      return value.then(count, (error: unknown) => answer.fail(error, ERROR));
    } catch (error) {
      return answer.fail(error, ERROR);
    }
  };
}

const itemsIn = (value: unknown): number => (Array.isArray(value) ? value.length : 1);

/** The size of a field's objects, cached by its nodes, which compiled operations reuse. */
function sizesOfObject(): (info: GraphQLResolveInfo) => number {
  let nodes: GraphQLResolveInfo['fieldNodes'] | undefined;
  let size = OBJECT;
  return (info) => {
    if (info.fieldNodes !== nodes) {
      nodes = info.fieldNodes;
      size = OBJECT + selectedLeaves(info);
    }
    return size;
  };
}

function sizesOfList(): SizeOf {
  const size = sizesOfObject();
  return (value, info) => (Array.isArray(value) ? value.length * size(info) : NUMBER);
}

/** The approximate JSON size of a value in bytes, never much too high. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return NUMBER;
  if (value instanceof RawJson) return value.text.length;
  let size = NUMBER;
  for (const each of Object.values(value)) size += NUMBER + sizeOf(each);
  return size;
}
