import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../src/context.ts';

/** Lets each field of a mutation read anew: its answer shows what the fields before it, and itself, have written. */
export function readAnewByMutations(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (!resolve) continue;
    field.resolve = (source, args, context: Context, info) => {
      context.readAnew();
      return resolve(source, args, context, info);
    };
  }
  return schema;
}
