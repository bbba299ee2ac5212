import { describe, expect, it } from 'vitest';
import { ask, listed, tradeFixture, workspace } from './where-fixture.ts';

tradeFixture();

const ALL = ['bare', 'far', 'load', 'sample'];
const VARIABLES = { x: 'String', n: 'Float', all: '[String]', where: 'JobWhere', each: '[JobWhere!]' };

/** What a filter with variables keeps: the first time, and compiled. */
async function found(where: string, variables: object): Promise<string[]> {
  const used = Object.entries(VARIABLES).filter(([name]) => new RegExp(`\\$${name}\\b`).test(where));
  const declared = ['$w: UUID!', ...used.map(([name, type]) => `$${name}: ${type}`)].join(', ');
  const query = `query Q(${declared}) { jobs(workspace: $w, where: ${where}) { nodes { tripNumber } totalCount } }`;
  const answers: string[][] = [];
  for (let time = 0; time < 3; time++) {
    const { data, errors } = await ask(query, { w: workspace.id, ...variables });
    expect(errors).toBeUndefined();
    const names = data.jobs.nodes.map(({ tripNumber }: { tripNumber: string }) => tripNumber).sort();
    expect(data.jobs.totalCount).toBe(names.length);
    answers.push(names);
  }
  expect(answers).toEqual(answers.map(() => answers[0]));
  return answers[0] ?? [];
}

describe('a comparison whose variable is omitted', () => {
  it.each<[string, string, string[]]>([
    ['of a field', '{ refNumber: { contains: $x }, status: { eq: "active" } }', ['load']],
    ['in not', '{ status: { eq: "active" }, not: { refNumber: { contains: $x } } }', ['load']],
    [
      'in not, beside another',
      '{ not: { refNumber: { contains: $x }, status: { eq: "active" } } }',
      ['bare', 'far', 'sample'],
    ],
    ['in not of not', '{ not: { not: { refNumber: { contains: $x } } } }', ALL],
    ['in a branch of or', '{ or: [{ refNumber: { contains: $x } }, { tripNumber: { eq: "far" } }] }', ['far']],
    ['in every branch of or', '{ or: [{ refNumber: { contains: $x } }, { tripNumber: { in: $all } }] }', ALL],
    ['in a branch of two', '{ or: [{ refNumber: { contains: $x }, tripNumber: { eq: "far" } }] }', ['far']],
    [
      'in or inside not',
      '{ not: { or: [{ refNumber: { eq: $x } }, { tripNumber: { eq: "far" } }] } }',
      ['bare', 'load', 'sample'],
    ],
    ['in or of nothing else inside not', '{ not: { or: [{ refNumber: { eq: $x } }] } }', ALL],
    ['in and', '{ and: [{ refNumber: { eq: $x } }, { status: { eq: "active" } }] }', ['load']],
    ['in and inside or', '{ or: [{ and: [{ refNumber: { eq: $x } }] }, { status: { eq: "active" } }] }', ['load']],
    ['in a group', '{ or: [{ cargo: { quantity: { gte: $n } } }, { status: { eq: "active" } }] }', ['load']],
    ['of a related record', '{ location: { name: { eq: $x } } }', ALL],
    ['of a list of them', '{ not: { transports: { name: { in: $all }, xref: { eq: $x } } } }', ALL],
    [
      'of a related record, in or',
      '{ or: [{ location: { name: { eq: $x } } }, { status: { eq: "active" } }] }',
      ['load'],
    ],
    ['of one through another', '{ location: { owner: { name: { eq: $x } } } }', ALL],
    ['beside one of the same record', '{ location: { name: { eq: "Port A" }, xref: { eq: $x } } }', ['load']],
    ['as a whole', '{ and: [{ status: { eq: "active" } }], not: $where, or: $each }', ['load']],
  ])('is skipped %s', async (_where, where, expected) => {
    expect(await found(where, {})).toEqual(expected);
  });

  it('is skipped in an item of a list', async () => {
    const query =
      'query Q($x: String) { quantityResults(where: { not: { measurements: { code: { eq: $x } } } }) { totalCount } }';
    expect((await ask(query, {})).data.quantityResults.totalCount).toBe(2);
    expect((await ask(query, { x: 'GSV' })).data.quantityResults.totalCount).toBe(0);
  });

  it.each<[string, object, string[]]>([
    ['a comparison', { not: { refNumber: {} }, status: { eq: 'active' } }, ['load']],
    ['a branch', { or: [{ refNumber: {} }, { status: { eq: 'active' } }] }, ['load']],
    ['a related record', { location: { name: {} } }, ALL],
  ])('can be absent from a variable as from a literal: %s', async (_what, where, expected) => {
    expect(await listed(where)).toEqual(expected);
    expect(await found('$where', { where })).toEqual(expected);
  });
});

describe('a condition that is written', () => {
  it.each<[string, string, object, string[]]>([
    ['null in not', '{ not: { status: { eq: $x } } }', { x: null }, ['load', 'sample']],
    ['null in or', '{ or: [{ refNumber: { eq: $x } }, { status: { eq: "active" } }] }', { x: null }, ['bare', 'load']],
    ['a related record of which nothing is asked', '{ location: {} }', {}, ['far', 'load', 'sample']],
    ['none such', '{ not: { transports: {} } }', {}, ['bare', 'far']],
    ['one through another', '{ location: { owner: {} } }', {}, ['far', 'load', 'sample']],
    ['none of several values', '{ not: { status: { in: $all } } }', { all: [] }, ALL],
    ['none of no branches', '{ or: $each }', { each: [] }, []],
  ])('counts: %s', async (_what, where, variables, expected) => {
    expect(await found(where, variables)).toEqual(expected);
  });
});
