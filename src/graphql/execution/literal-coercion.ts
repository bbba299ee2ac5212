import {
  coerceInputLiteral,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type ObjectValueNode,
  type ValueNode,
} from 'graphql';
import { frozen } from './frozen.ts';
import { holdsVariable } from './nodes.ts';

/** The value of a literal for a request's coerced variables; undefined if it does not fit its type. */
export type CoerceLiteral = (variables: Readonly<Record<string, unknown>>) => unknown;

/**
 * Compiles the coercion of a literal that holds variables: the result of `coerceInputLiteral`, without looking up every field of
 * its types in each request. Undefined if that depends on more: for defaults, scalars and oneOf inputs.
 */
export function literalCoercion(node: ValueNode, type: GraphQLInputType): CoerceLiteral | undefined {
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    return isNonNullType(type) ? (variables) => variables[name] ?? undefined : (variables) => variables[name];
  }
  if (!holdsVariable(node)) {
    const value = frozen(coerceInputLiteral(node, type));
    return () => value;
  }
  const nullable = getNullableType(type);
  if (isListType(nullable)) return listCoercion(node.kind === Kind.LIST ? node.values : [node], nullable.ofType);
  return isInputObjectType(nullable) && node.kind === Kind.OBJECT ? objectCoercion(node, nullable) : undefined;
}

function listCoercion(nodes: readonly ValueNode[], type: GraphQLInputType): CoerceLiteral | undefined {
  const items = nodes.map((node) => ({
    coerce: literalCoercion(node, type),
    orNull: node.kind === Kind.VARIABLE && !isNonNullType(type),
  }));
  if (items.some(({ coerce }) => coerce === undefined)) return undefined;
  return (variables) => {
    const list: unknown[] = [];
    for (const { coerce, orNull } of items) {
      const item = coerce?.(variables);
      if (item === undefined && !orNull) return undefined;
      list.push(item ?? null);
    }
    return list;
  };
}

interface Member {
  readonly name: string;
  readonly coerce: CoerceLiteral | undefined;
  /** Omitted if its variable has no value. */
  readonly mayBeAbsent: boolean;
}

function objectCoercion({ fields: given }: ObjectValueNode, type: GraphQLInputObjectType): CoerceLiteral | undefined {
  const nodes = new Map(given.map(({ name, value }) => [name.value, value]));
  const fields = Object.values(type.getFields());
  const isPlain = fields.every((field) => !needsDefault(field, nodes.get(field.name)));
  if (type.isOneOf || !isPlain || given.some(({ name }) => !Object.hasOwn(type.getFields(), name.value)))
    return undefined;
  const members = fields.flatMap((field): Member[] => {
    const node = nodes.get(field.name);
    if (node === undefined) return [];
    const mayBeAbsent = node.kind === Kind.VARIABLE && !isNonNullType(field.type);
    return [{ name: field.name, coerce: literalCoercion(node, field.type), mayBeAbsent }];
  });
  if (members.some(({ coerce }) => coerce === undefined)) return undefined;
  return (variables) => {
    const object: Record<string, unknown> = {};
    for (const { name, coerce, mayBeAbsent } of members) {
      const value = coerce?.(variables);
      if (value !== undefined) object[name] = value;
      else if (!mayBeAbsent) return undefined;
    }
    return object;
  };
}

/** Whether a field may be absent, and its absence means a default or an error. */
function needsDefault(field: GraphQLInputField, node: ValueNode | undefined): boolean {
  if (node !== undefined && node.kind !== Kind.VARIABLE) return false;
  if (field.default !== undefined || field.defaultValue !== undefined) return true;
  return node === undefined && isRequiredInputField(field);
}
