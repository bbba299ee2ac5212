import {
  coerceInputLiteral,
  type GraphQLInputType,
  getVariableValues,
  Kind,
  parse,
  parseValue,
  typeFromAST,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { literalCoercion } from '../../src/graphql/execution/literal-coercion.ts';
import { operationOf } from '../../src/graphql/execution/operation-of.ts';

const DECLARED = `query ($text: String, $texts: [String], $must: String!, $where: JobWhere, $all: [JobWhere!], $order: SortDirection) { __typename }`;
const GIVEN = [
  { must: 'm' },
  { must: 'm', text: null, texts: null, where: null, all: null, order: null },
  { must: 'm', text: 'x', texts: ['x', null], where: { refNumber: { eq: 'R-1' } }, all: [{}], order: 'desc' },
];

const typeNamed = (name: string): GraphQLInputType => {
  const [definition] = parse(`query ($of: ${name}) { __typename }`).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION || !definition.variableDefinitions?.[0]) throw new Error(name);
  return typeFromAST(schema, definition.variableDefinitions[0].type) as GraphQLInputType;
};

/** A compiled literal's value for each set of variables, beside the one of graphql-js. */
function bothWays(type: string, literal: string) {
  const node = parseValue(literal);
  const of = typeNamed(type);
  const coerce = literalCoercion(node, of);
  const definitions = operationOf(parse(DECLARED), undefined)?.variableDefinitions ?? [];
  return GIVEN.map((given) => {
    const { variableValues } = getVariableValues(schema, definitions, given);
    if (!variableValues) throw new Error('the variables do not fit');
    return { compiled: coerce?.(variableValues.coerced), byGraphql: coerceInputLiteral(node, of, variableValues) };
  });
}

describe('a literal containing variables', () => {
  it.each([
    ['JobWhere', '{ location: { name: { eq: $text } } }'],
    ['JobWhere', '{ location: { name: { in: $texts } }, refNumber: { in: [$text, "b", null] } }'],
    ['JobWhere', '{ and: [$where, { not: $where }, { or: $all }], status: { ne: "pending", contains: $must } }'],
    ['JobWhere', '{ or: { refNumber: { eq: $must } } }'],
    ['[JobWhere!]', '[{ refNumber: { eq: $must } }, $where]'],
    ['JobWhere', '{ refNumber: 5, tripNumber: { eq: $text } }'],
    ['[String]', '[$text, $must]'],
    ['[String!]', '[$must, $text]'],
    ['String!', '$text'],
  ])('of %s is coerced as by graphql-js: %s', (type, literal) => {
    for (const { compiled, byGraphql } of bothWays(type, literal)) expect(compiled).toEqual(byGraphql);
  });

  it.each([
    ['SortField', '{ field: $must, direction: $order }'],
    ['SortField', '{ field: $must }'],
    ['JSON', '{ a: $text }'],
    ['JobWhere', '{ noSuchField: $text }'],
  ])('of %s is left to graphql-js if it depends on anything else: %s', (type, literal) => {
    expect(literalCoercion(parseValue(literal), typeNamed(type))).toBeUndefined();
  });
});
