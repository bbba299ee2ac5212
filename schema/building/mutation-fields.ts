import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../src/context.ts';

/** Makes each mutation field read afresh, so its answer shows its own writes and those of the fields before it. */
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
