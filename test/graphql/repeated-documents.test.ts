import { GraphQLObjectType, GraphQLScalarType, GraphQLSchema, parse } from 'graphql';
import { expect, it } from 'vitest';
import { CompiledQueries } from '../../src/graphql/execution/compiled-queries.ts';
import { RepeatedDocuments } from '../../src/graphql/execution/repeated-documents.ts';

const added = (documents: RepeatedDocuments, text: string) => {
  const document = parse(text);
  documents.set(text, document);
  return document;
};

it('caches a document from the second time its text is seen', () => {
  const documents = new RepeatedDocuments();
  const first = added(documents, '{ a }');
  expect(documents.get('{ a }')).toBeUndefined();
  expect(documents.has(first)).toBe(false);
  const second = added(documents, '{ a }');
  expect(documents.get('{ a }')).toBe(second);
  expect([documents.has(first), documents.has(second)]).toEqual([false, true]);
  expect(documents.get('{ b }')).toBeUndefined();
});

it.each([
  ['of many tokens', `{ ${'a '.repeat(11_000)} }`],
  ['with a long comment', `#${'x'.repeat(2_600_000)}\n{ a }`],
])('never caches one %s', (_, text) => {
  const documents = new RepeatedDocuments();
  for (let time = 0; time < 3; time++) expect(documents.has(added(documents, text))).toBe(false);
  expect(documents.get(text)).toBeUndefined();
});

it('caches at most 200,000 tokens, the most recently used', () => {
  const documents = new RepeatedDocuments();
  const texts = Array.from({ length: 30 }, (_, index) => `{ a${index} ${'a '.repeat(9_900)} }`);
  for (const text of texts) {
    for (let time = 0; time < 2; time++) added(documents, text);
    documents.get(texts[0] ?? '');
  }
  const kept = texts.flatMap((text, index) => (documents.get(text) ? [index] : []));
  expect(kept).toEqual([0, ...Array.from({ length: 19 }, (_, index) => index + 11)]);
});

const fields = { a: { type: new GraphQLScalarType({ name: 'JSON' }), resolve: async () => 'found' } };
const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });

it('compiles an operation when its document is repeated', async () => {
  const documents = new RepeatedDocuments();
  const queries = new CompiledQueries(schema, documents);
  const run = (text: string, operationName?: string) =>
    queries.run({ document: added(documents, text), operationName, variables: {}, context: {} as never });
  expect(run('{ a }')).toBeUndefined();
  expect(await run('{ a }')).toEqual({ data: { a: 'found' } });
  const two = 'query A { a } query B { b: a }';
  expect(run(two, 'A')).toBeUndefined();
  expect(await run(two, 'B')).toEqual({ data: { b: 'found' } });
  expect(await run(two, 'A')).toEqual({ data: { a: 'found' } });
  expect(run(two, 'C')).toBeUndefined();
});
