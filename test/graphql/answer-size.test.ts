import { buildSchema, type ExecutionResult, execute, type GraphQLObjectType, type GraphQLSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import type { Context } from '../../src/context.ts';
import { compileOperation } from '../../src/graphql/execution/jit.ts';
import { longTexts } from '../../src/graphql/execution/leaf-serializers.ts';
import { AnswerBudget } from '../../src/graphql/limits/answer-budget.ts';
import { counted } from '../../src/graphql/limits/counted-schema.ts';

const toy = (name = 'A', body: unknown = 'x'.repeat(400)): GraphQLSchema => {
  const made = buildSchema(`
    scalar JSON
    scalar UUID
    scalar DateTime
    interface Named { id: UUID! name: String }
    type Ship implements Named { id: UUID! name: String built: DateTime sister: Ship body: JSON }
    type Query { ships: [Ship!]! named: [Named!]! }
  `);
  const ship = {
    __typename: 'Ship',
    id: '0190a000-0000-7000-8000-000000000000',
    name,
    built: '2026-01-01T00:00:00Z',
  };
  const ships = Array.from({ length: 10 }, () => ({ ...ship, sister: ship, body }));
  const fields = made.getQueryType()?.getFields() ?? {};
  for (const field of Object.values(fields)) field.resolve = () => ships;
  return counted(made);
};

/** The response to an operation whose answer may have that many bytes. */
const answers = async (query: string, most: number) => {
  const of = toy();
  const document = parse(query);
  const compiled = compileOperation(of, document, undefined);
  if (!compiled) throw new Error('it cannot be compiled');
  const run = async (start: (context: Context) => Promise<ExecutionResult> | ExecutionResult | undefined) => {
    const answer = new AnswerBudget({ bytes: most, cost: 1_000 });
    const result = await answer.limit(start({ answer } as Context) ?? {});
    return result.errors?.[0]?.extensions.code ?? (result.data ? 'answered' : 'nothing');
  };
  return [
    await run((contextValue) => execute({ schema: of, document, contextValue })),
    await run((context) => compiled.run({}, context)),
  ];
};

const both = (outcome: string) => [outcome, outcome];
const TOO_LARGE = both('ANSWER_TOO_LARGE');
const ids = Array.from({ length: 20 }, (_, i) => `a${i}: id`).join(' ');

describe('an answer counted while being built', () => {
  it.each([
    ['10 objects', '{ ships { id } }', 2_000, both('answered')],
    ['10 objects of too many leaves', `{ ships { ${ids} } }`, 2_000, TOO_LARGE],
    ['the same by a fragment', `{ ships { ...F } } fragment F on Ship { ${ids} }`, 2_000, TOO_LARGE],
    [
      'the same by fragments in fragments',
      `{ ships { ...G } } fragment G on Named { ...F } fragment F on Ship { ${ids} }`,
      2_000,
      TOO_LARGE,
    ],
    ['the same of an interface', `{ named { ... on Ship { ${ids} } } }`, 2_000, TOO_LARGE],
    ['the same in one object each', `{ ships { sister { ${ids} } } }`, 4_000, TOO_LARGE],
    ['a field that is asked for in two places', `{ ships { id } ships { ${ids} } }`, 2_000, TOO_LARGE],
    [
      'names that a fragment repeats',
      '{ ships { id name ...F } } fragment F on Ship { id name built }',
      2_600,
      both('answered'),
    ],
    ['any JSON', '{ ships { body } }', 4_000, TOO_LARGE],
  ])('counts %s', async (_, query, most, outcome) => {
    expect(await answers(query, most)).toEqual(outcome);
  });

  it('is neither written nor fully read when its texts are too long', () => {
    const budget = new AnswerBudget({ bytes: 1_000, cost: 1_000 });
    let looked = false;
    const data = {
      texts: ['x'.repeat(600), 'x'.repeat(600)],
      get late() {
        looked = true;
        return 1;
      },
    };
    expect(budget.write({ data })).toContain('ANSWER_TOO_LARGE');
    expect(looked).toBe(false);
    expect(budget.write({ data: { texts: ['x'.repeat(600)] } })).toContain('xxx');
  });
});

describe('the answer of a compiled operation', () => {
  /** What is written of ten ships of that name, and how often they were read before. */
  const written = async (name: string, most: number) => {
    const made = toy(name);
    const compiled = compileOperation(made, parse('{ ships { name } }'), undefined);
    const answer = new AnswerBudget({ bytes: most, cost: 1_000 });
    answer.watchTexts(longTexts());
    const result = await compiled?.run({}, { answer } as Context);
    let reads = 0;
    const text = answer.write({
      data: {
        get ships() {
          reads += 1;
          return result?.data?.ships;
        },
      },
      toJSON: () => ({ isWritten: true }),
    });
    return { text, reads };
  };
  const LONG = 60_000;
  const MOST = 500_000;

  it('is written at once when its texts are short', async () => {
    const { text, reads } = await written('A', MOST);
    expect(text).toContain('"isWritten":true');
    expect(reads).toBe(0);
  });

  it('is added up before writing when a text is long', async () => {
    const { text, reads } = await written('x'.repeat(LONG), MOST);
    expect(text).toContain('ANSWER_TOO_LARGE');
    expect(reads).toBe(1);
    const fitting = await written('x'.repeat(LONG), 20 * LONG);
    expect(fitting).toEqual({ text: '{"isWritten":true}', reads: 1 });
  });

  it('is added up when it has objects that may have long names', async () => {
    const before = longTexts();
    const compiled = compileOperation(toy(), parse('{ ships { body } }'), undefined);
    await compiled?.run({}, {} as Context);
    expect(longTexts()).toBe(before);
    await compileOperation(toy('A', { a: 1 }), parse('{ ships { body } }'), undefined)?.run({}, {} as Context);
    expect(longTexts()).toBe(before + 10);
  });
});

describe('the counted schema', () => {
  const resolverOf = (type: string, field: string) =>
    (counted(schema).getType(type) as GraphQLObjectType).getFields()[field]?.resolve;

  it.each(['id', 'createdAt', 'refNumber', 'status', 'tripNumber'])(
    'lets compiled operations read plain properties in place: %s',
    (field) => expect(resolverOf('Job', field)).toBeUndefined(),
  );

  it('counts bodies and objects as they are resolved', () => {
    expect(resolverOf('Job', 'body')).toBeDefined();
    expect(resolverOf('Job', 'location')).toBeDefined();
  });
});
