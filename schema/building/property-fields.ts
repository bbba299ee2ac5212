import {
  defaultFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { isBodyProperty } from '../../src/model/entity/entity.ts';
import { memberRead } from './member.ts';

/**
 * Removes resolvers that only read the property with the field's own name, so that compiled operations read it directly.
 * A body member named like an envelope property keeps its resolver; a member that would hide a field of every entity throws.
 */
export function readPropertiesInPlace(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve, name } = field;
      const member = resolve && memberRead(resolve);
      if (member !== undefined && isObjectType(type)) refuseHiding(type, name, member);
      const ownProperty = member === name && isBodyProperty(name);
      if (resolve === defaultFieldResolver || ownProperty) field.resolve = undefined;
    }
  }
  return schema;
}

function refuseHiding(type: GraphQLObjectType, name: string, member: string): void {
  const hidden = type.getInterfaces().find((one) => name in one.getFields());
  if (!hidden) return;
  throw new Error(
    `${type.name}.${name} reads the body member "${member}", but ${hidden.name}.${name} is what every entity has under that name. Give the member another name in GraphQL, or a resolver of its own.`,
  );
}
