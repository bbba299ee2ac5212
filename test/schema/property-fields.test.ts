import {
  execute,
  GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql';
import { BSON } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { member } from '../../schema/building/member.ts';
import { readPropertiesInPlace } from '../../schema/building/property-fields.ts';
import type { Context } from '../../src/context.ts';
import { compileOperation } from '../../src/graphql/execution/jit.ts';
import type { Entity } from '../../src/model/entity/entity.ts';
import { RawEntity } from '../../src/store/entities/read-entity.ts';

const entity = new RawEntity(
  BSON.serialize({
    _id: 'i-1',
    workspace: 'w-1',
    revision: 3,
    body: { partition: 'Rotterdam', revision: 'B', notes: 'n' },
  }),
);

/** A schema with one entity whose fields read members of its body. */
function schemaOf(names: readonly string[]): GraphQLSchema {
  const entityType = new GraphQLInterfaceType({ name: 'Entity', fields: { id: { type: GraphQLString } } });
  const job = new GraphQLObjectType<Entity>({
    name: 'Job',
    interfaces: [entityType],
    fields: {
      id: { type: GraphQLString },
      ...Object.fromEntries(names.map((name) => [name, { type: GraphQLString, resolve: member(name) }])),
    },
  });
  const query = new GraphQLObjectType({ name: 'Query', fields: { job: { type: job, resolve: () => entity } } });
  return readPropertiesInPlace(new GraphQLSchema({ query, types: [new GraphQLScalarType({ name: 'JSON' })] }));
}

describe('a field that reads a body member', () => {
  it('returns the body’s value even if the envelope has the same name, compiled or not', async () => {
    const schema = schemaOf(['partition', 'revision', 'notes', 'toString']);
    const document = parse('{ job { id partition revision notes toString } }');
    const job = { id: 'i-1', partition: 'Rotterdam', revision: 'B', notes: 'n', toString: null };
    expect(await execute({ schema, document })).toEqual({ data: { job } });
    expect(await compileOperation(schema, document, undefined)?.run({}, {} as Context)).toEqual({ data: { job } });
  });

  it('has no resolver if the entity has the member as a property', () => {
    const type = schemaOf(['partition', 'notes']).getType('Job') as GraphQLObjectType;
    expect(type.getFields().notes?.resolve).toBeUndefined();
    expect(type.getFields().partition?.resolve).toBeTypeOf('function');
  });

  it('is refused if it would hide a field of every entity, naming type and member', () => {
    expect(() => schemaOf(['id'])).toThrow(
      /^Job\.id reads the body member "id", but Entity\.id is what every entity has/,
    );
  });
});
