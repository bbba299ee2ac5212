import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql';
import type { Context } from '../../context.ts';
import { RawJson } from '../../model/raw-json.ts';

/** The minimum overhead of a value in bytes: its name, with quotes, colon and comma. */
const NAME = 5;
/** The minimum count of an object in bytes; it takes more memory than its few bytes in a response. */
const OBJECT = 128;
const NUMBER = 2;

type Resolve = GraphQLFieldResolver<unknown, Context>;
type Field = GraphQLFieldConfig<unknown, Context>;

/** The schema with resolvers that count the size of the response if the context has a budget. */
export const counted = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field: Field) => ({ ...field, resolve: countedField(field) }),
  });

function countedField(field: Field): Resolve {
  const resolve = field.resolve ?? (defaultFieldResolver as Resolve);
  const isLeaf = isLeafType(getNamedType(field.type));
  if (isLeaf || isListType(getNullableType(field.type))) return countingValue(resolve, isLeaf ? sizeOf : sizeOfList);
  return (source, args, context, info) => {
    const { answer } = context;
    if (answer && !answer.spend(OBJECT)) return answer.stalled;
    return resolve(source, args, context, info);
  };
}

function countingValue(resolve: Resolve, sizeOfValue: (value: unknown) => number): Resolve {
  return (source, args, context, info) => {
    const { answer } = context;
    if (!answer) return resolve(source, args, context, info);
    if (answer.isSpent) return answer.stalled;
    const value = resolve(source, args, context, info);
    if (!(value instanceof Promise)) return answer.spend(NAME + sizeOfValue(value)) ? value : answer.stalled;
    return value.then((later: unknown) => (answer.spend(NAME + sizeOfValue(later)) ? later : answer.stalled));
  };
}

const sizeOfList = (value: unknown): number => (Array.isArray(value) ? value.length * OBJECT : NUMBER);

/** The approximate size of a value as JSON in bytes, never an overestimate by much. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return NUMBER;
  if (value instanceof RawJson) return value.text.length;
  let size = NUMBER;
  for (const each of Object.values(value)) size += NUMBER + sizeOf(each);
  return size;
}
