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
import { selectedLeaves } from './selected-leaves.ts';

/** The minimum overhead of a value in bytes: its name, with quotes, colon and comma. */
const NAME = 5;
/** The minimum count of an object in bytes; it takes more memory than its few bytes in a response. */
const OBJECT = 128;
const NUMBER = 2;

type Resolve = GraphQLFieldResolver<unknown, Context>;
type Field = GraphQLFieldConfig<unknown, Context>;

/** Leaves of these types are counted with their object, when they are read in place: their texts are shared, or short. */
const READ_IN_PLACE: ReadonlySet<string> = new Set(['String', 'ID', 'UUID', 'DateTime', 'Int', 'Float', 'Boolean']);

/**
 * The schema with resolvers that count the size of the response if the context has a budget. Fields that need no resolver
 * get none, because compiled operations read those in place: they are counted with their object, and their texts exactly
 * before the response is written (`AnswerBudget`).
 */
export const counted = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field: Field) =>
      isReadInPlace(field) ? field : { ...field, resolve: countedField(field) },
  });

function isReadInPlace({ resolve, type }: Field): boolean {
  const leaf = getNullableType(type);
  return resolve === undefined && (isEnumType(leaf) || (isLeafType(leaf) && READ_IN_PLACE.has(leaf.name)));
}

function countedField(field: Field): Resolve {
  const resolve = field.resolve ?? (defaultFieldResolver as Resolve);
  if (isLeafType(getNamedType(field.type))) return countingValue(resolve, sizeOf);
  if (isListType(getNullableType(field.type))) return countingValue(resolve, sizeOfList);
  return (source, args, context, info) => {
    const { answer } = context;
    if (answer && !answer.spend(OBJECT + selectedLeaves(info))) return answer.stalled;
    return resolve(source, args, context, info);
  };
}

type SizeOf = (value: unknown, info: GraphQLResolveInfo) => number;

function countingValue(resolve: Resolve, sizeOfValue: SizeOf): Resolve {
  return (source, args, context, info) => {
    const { answer } = context;
    if (!answer) return resolve(source, args, context, info);
    if (answer.isSpent) return answer.stalled;
    const value = resolve(source, args, context, info);
    const count = (found: unknown) => (answer.spend(NAME + sizeOfValue(found, info)) ? found : answer.stalled);
    return value instanceof Promise ? value.then(count) : count(value);
  };
}

const sizeOfList: SizeOf = (value, info) =>
  Array.isArray(value) ? value.length * (OBJECT + selectedLeaves(info)) : NUMBER;

/** The approximate size of a value as JSON in bytes, never an overestimate by much. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return NUMBER;
  if (value instanceof RawJson) return value.text.length;
  let size = NUMBER;
  for (const each of Object.values(value)) size += NUMBER + sizeOf(each);
  return size;
}
