import { type GraphQLScalarType, type GraphQLSchema, isScalarType } from 'graphql';
import { RawJson } from '../../model/raw-json.ts';

type Serialize = (value: unknown) => unknown;

/** The maximum length of a short text. */
const SHORT_TEXT = 1_024;

let serialized = 0;

/** The number of long texts, and objects that may hold some, that compiled operations have written so far. */
export const longTexts = (): number => serialized;

const known = new WeakMap<GraphQLSchema, Record<string, Serialize>>();

/** The schema's scalar serializers, which also count long texts. */
export function leafSerializers(schema: GraphQLSchema): Record<string, Serialize> {
  const made =
    known.get(schema) ??
    Object.fromEntries(
      Object.values(schema.getTypeMap())
        .filter(isScalarType)
        .map((type) => [type.name, serializerOf(type)]),
    );
  known.set(schema, made);
  return made;
}

function serializerOf(type: GraphQLScalarType): Serialize {
  const isText = type.name === 'String'; // passed through
  return (given) => {
    const value = isText && typeof given === 'string' ? given : type.serialize(given);
    if (typeof value === 'string' ? value.length > SHORT_TEXT : isOpen(value)) serialized += 1;
    return value;
  };
}

/** A body has its text, which is counted when it is resolved. */
const isOpen = (value: unknown): boolean => typeof value === 'object' && value !== null && !(value instanceof RawJson);
