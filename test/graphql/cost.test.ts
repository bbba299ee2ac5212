import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';

const service = serviceFixture({ env: { GRAPHQL_MAX_COST: '30000' } });

const ask = async (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
  (await service.ask('POST', '/graphql', { as: 'client', body: { query, variables }, headers })).body;

const costOf = async (query: string, variables: object = {}) =>
  (await ask(query, variables, { 'X-Explain-Cost': '1' })).extensions.cost;

describe('the estimated cost of an operation', () => {
  it.each<[string, number, object?]>([
    ['{ viewer { id name } }', 1],
    ['{ jobs { nodes { id refNumber eta body } } }', 26],
    ['{ jobs(first: 100) { nodes { id } pageInfo { endCursor } } }', 101],
    ['{ jobs(last: 7) { edges { cursor node { id location { name } } } } }', 15],
    ['query Q($n: Int!) { jobs(first: $n) { nodes { location { name } } } }', 1 + 40 + 40, { n: 40 }],
    ['query Q($n: Int = 3) { jobs(first: $n) { nodes { id } } }', 4],
    ['query Q($n: Int) { jobs(first: $n) { nodes { id } } }', 26],
    ['{ jobs(first: 2) { nodes { versions { number } } } }', 1 + 2 + 2 * 100],
    ['query Q($n: Int) { jobs(first: 2) { nodes { versions(first: $n) { number } } } }', 1 + 2 + 2 * 100],
    [
      '{ jobs(first: 2) { nodes { a: versions(first: 0) { number } b: versions(first: -5) { number } } } }',
      1 + 2 + 2 * 2,
    ],
    ['query Q($n: Int) { jobs(first: 2) { nodes { versions(first: $n) { number } } } }', 1 + 2 + 2, { n: 0 }],
    ['{ jobs(first: 2) { nodes { qualityResults(first: 5) { test { name } } } } }', 1 + 2 + 10 + 10],
    [
      '{ a: jobs(first: 2) { nodes { ...J } } b: jobs(first: 3) { nodes { ...J } } } fragment J on Job { cargo { product { id } } }',
      2 + 5 * 3,
    ],
    [
      '{ documents(type: "svc.inspection.job") { nodes { ... on Job { location { id } client { id } } ... on QualityResult { test { id } } } } }',
      1 + 25 * 3,
    ],
  ])('of %s is %i', async (query, expected, variables) => {
    expect((await costOf(query, variables)).estimated).toBe(expected);
  });

  it('is broken down by its most expensive fields on request', async () => {
    const query =
      '{ jobs(first: 10) { nodes { id qualityResults(first: 20) { test { usedBy(first: 10) { id } } } } } }';
    const mostExpensive = [
      { path: 'jobs.nodes.qualityResults.test.usedBy', objects: 2000, cost: 2000 },
      { path: 'jobs.nodes.qualityResults', objects: 200, cost: 200 },
      { path: 'jobs.nodes.qualityResults.test', objects: 200, cost: 200 },
      { path: 'jobs.nodes', objects: 10, cost: 10 },
      { path: 'jobs', objects: 1, cost: 1 },
    ];
    const estimated = 1 + 10 + 200 + 200 + 2000;
    expect(await costOf(query)).toEqual({
      estimated,
      counted: 1,
      limit: 30_000,
      mostExpensive,
      dearest: mostExpensive,
    });
    expect((await ask(query)).extensions).toBeUndefined();
  });

  it('beyond the limit stops the operation, naming the expensive fields', async () => {
    const query = 'query Q($n: Int!) { jobs(first: $n) { nodes { qualityResults(first: 100) { result } } } }';
    for (const [n, isRefused] of [
      [200, false],
      [297, false],
      [298, true],
      [1000, true],
      [200, false],
    ] as const) {
      const { data, errors } = await ask(query, { n });
      expect([n, errors?.[0].extensions.code]).toEqual([n, isRefused ? 'GRAPHQL_VALIDATION_FAILED' : undefined]);
      if (!isRefused) expect(data).toEqual({ jobs: { nodes: [] } });
      else {
        expect(errors[0].message).toContain('at most 30000');
        expect(errors[0].extensions.cost.mostExpensive[0]).toMatchObject({
          path: 'jobs.nodes.qualityResults',
          objects: n * 100,
        });
      }
    }
  });

  it('grows with shared fragments, in time that does not', async () => {
    const levels = 16;
    const fragments = Array.from(
      { length: levels },
      (_, i) => `fragment F${i} on CatalogRecord { synonyms { ...F${i + 1} } synonymGroup { ...F${i + 1} } }`,
    );
    const query = `{ jobs { nodes { location { ...F0 } } } } ${fragments.join(' ')} fragment F${levels} on CatalogRecord { id }`;
    const started = performance.now();
    const { errors } = await ask(query);
    expect(errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(errors[0].message).toContain('would cost');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('through interfaces stays a number', async () => {
    const levels = 18;
    const query = `{ document(id: "0190a000-0000-7000-8000-00000000dead") { ${'parent { '.repeat(levels)} id ${'}'.repeat(levels)} } }`;
    expect((await costOf(query)).estimated).toBe(19);
  });

  it('does not apply to REST', async () => {
    const answer = await service.ask('GET', '/workspaces?limit=1000000', { as: 'client' });
    expect(answer.status).toBe(200);
  });
});
