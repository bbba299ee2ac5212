import {
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  parse,
} from 'graphql';
import { expect, it } from 'vitest';
import { compileOperation } from '../../../src/graphql/execution/jit.ts';

interface Body {
  text: string;
}

const anything = new GraphQLScalarType({ name: 'JSON' });
const wrapped = new GraphQLInputObjectType({
  name: 'Wrapped',
  fields: { bodies: { type: new GraphQLList(anything) }, note: { type: anything } },
});

/** A field that returns the text of the first body, and overwrites it. */
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      write: {
        type: anything,
        args: { wrapped: { type: wrapped } },
        resolve(_source, { wrapped }) {
          const [body] = wrapped.bodies as [Body];
          const { text } = body;
          body.text = 'another';
          return text;
        },
      },
    },
  }),
});

it.each([
  ['a literal', '{ write(wrapped: { bodies: [{ text: "one" }] }) }'],
  ['a literal beside a variable', 'query ($note: JSON) { write(wrapped: { bodies: [{ text: "one" }], note: $note }) }'],
  [
    'the default of a variable',
    'query ($wrapped: Wrapped = { bodies: [{ text: "one" }] }) { write(wrapped: $wrapped) }',
  ],
])('a resolver cannot change %s cached for later requests', async (_what, text) => {
  const operation = compileOperation(schema, parse(text), undefined);
  for (let time = 0; time < 2; time++) {
    const result = await operation?.run({ note: 'n' }, {} as never);
    expect(result?.errors?.map(({ message }) => message)).toEqual([expect.stringContaining('read only')]);
  }
});

it('a resolver may change what the request sent', async () => {
  const operation = compileOperation(schema, parse('query ($w: Wrapped) { write(wrapped: $w) }'), undefined);
  for (let time = 0; time < 2; time++) {
    const result = await operation?.run({ w: { bodies: [{ text: 'one' }] } }, {} as never);
    expect(result).toEqual({ data: { write: 'one' } });
  }
});
