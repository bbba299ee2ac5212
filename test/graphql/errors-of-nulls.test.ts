import { buildSchema, type ExecutionResult, execute, type GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { withoutSwallowed } from '../../src/graphql/execution/errors-of-nulls.ts';
import { compileOperation } from '../../src/graphql/execution/jit.ts';
import { serviceFixture } from '../service.ts';

const schema = buildSchema(`
  scalar JSON
  type Query { may: Int must: Int! one: Row row: Row! rows: [Row] whole: [Row!] node: Node }
  interface Node { must: Int! one: Row }
  type Row implements Node { may: Int must: Int! one: Row needed: Row! rows: [Row!]! }
`);

/** Required fields that always fail, and others that fail too or nest deeper. */
for (const name of ['Query', 'Row']) {
  const fields = (schema.getType(name) as NonNullable<ReturnType<typeof schema.getQueryType>>).getFields();
  for (const [field, definition] of Object.entries(fields)) {
    definition.resolve = () => {
      if (field === 'may' || field === 'must') throw new Error(`no ${field}`);
      return field === 'rows' || field === 'whole' ? [{}, {}] : {};
    };
  }
}
(schema.getType('Node') as { resolveType?: unknown }).resolveType = () => 'Row';

const OPERATIONS: readonly [string, readonly string[]][] = [
  ['{ may must }', ['must']],
  ['{ must may }', ['must']],
  ['{ may one { may } }', ['may', 'one.may']],
  ['{ one { may must } may }', ['may', 'one.must']],
  ['{ one { a: must b: must may } }', ['one.a']],
  ['{ rows { must } }', ['rows.0.must', 'rows.1.must']],
  ['{ rows { may must } }', ['rows.0.must', 'rows.1.must']],
  ['{ whole { may must } }', ['whole.0.must']],
  ['{ one { one { must } needed { must } } }', ['one.needed.must']],
  [
    '{ one { one { must } may rows { one { may } } } }',
    ['one.may', 'one.one.must', 'one.rows.0.one.may', 'one.rows.1.one.may'],
  ],
  ['{ one { rows { may must } } row { one { must } } }', ['one.rows.0.must', 'row.one.must']],
  ['{ row { one { must } needed { must } } may }', ['row.needed.must']],
  [
    '{ node { ...F ... on Row { may } } } fragment F on Node { must ...G } fragment G on Node { one { must } }',
    ['node.must'],
  ],
];

describe('the errors below a null', () => {
  it.each(OPERATIONS)('are only the one that caused it, whoever executes %s', async (text, expected) => {
    const document = parse(text);
    const shown = ({ data, errors = [] }: ExecutionResult) =>
      withoutSwallowed(errors as GraphQLError[], { schema, document, operationName: undefined, data })
        .map(({ path }) => path?.join('.'))
        .sort();
    const compiled = compileOperation(schema, document, undefined);
    const [plain, ours] = [await execute({ schema, document }), await compiled?.run({}, {} as never)];
    expect(shown(plain)).toEqual(expected);
    expect(ours && shown(ours)).toEqual(expected);
    expect(JSON.stringify(ours?.data)).toBe(JSON.stringify(plain.data));
  });
});

describe('an operation that fails', () => {
  const service = serviceFixture();

  it('has the same status and errors when repeated', async () => {
    const answers: unknown[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const query = 'query Sa { port(clientCode: "nope") { id } session { username } }';
      const { status, body } = await service.ask('POST', '/graphql', { as: 'client', body: { query } });
      answers.push([status, body.data, body.errors.map(({ path }: GraphQLError) => path)]);
    }
    expect(answers).toEqual(Array.from({ length: 4 }, () => [401, null, [['session']]]));
  });
});
