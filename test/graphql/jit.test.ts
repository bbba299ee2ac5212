import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLObjectType, GraphQLScalarType, GraphQLSchema, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { schema } from '../../schema/schema.ts';
import { compileOperation } from '../../src/graphql/execution/jit.ts';
import { collect } from '../garbage.ts';
import { oldBytes } from '../old-bytes.ts';
import { type Answer, makeWorkspace, serviceFixture, startTestService, workspaceFixture } from '../service.ts';

/** How graphql-jit 0.8.9 writes a Date into its generated code; the rest is taken as an expression. */
const AS_DATE = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d';

type Alike = Pick<Answer['body'], 'data' | 'errors'>;

describe('repeated operations', () => {
  const service = serviceFixture();
  const workspace = workspaceFixture(service);

  beforeAll(async () => {
    for (const refNumber of ['R-1', 'R-2']) {
      await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { refNumber } });
    }
  });

  /** The answers of the same operation the first time, by graphql-js, and the second and third, compiled. */
  const thrice = async (query: string, variables: object = {}) => {
    const answers: Alike[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const { data, errors } = (await service.graphql(query, variables)).body;
      answers.push({ data, errors });
    }
    return answers;
  };
  const answersAlike = async (query: string, variables: object = {}) => {
    const [first, second, third] = await thrice(query, variables);
    if (!first) throw new Error('nothing was answered');
    expect([second, third]).toEqual([first, first]);
    return first;
  };

  it('execute no code in an argument, a default or a list', async () => {
    const code = `${AS_DATE}globalThis.injected=1`;
    for (const query of [
      `{ jobs(workspace: "${workspace.id}", after: "${code}") { totalCount } }`,
      `query ($after: String = "${code}") { jobs(workspace: "${workspace.id}", after: $after) { totalCount } }`,
      `{ jobs(workspace: "${workspace.id}", filter: [{ field: "${code}", anyOf: ["x"] }]) { totalCount } }`,
      `{ jobs(workspace: "${workspace.id}", where: { refNumber: { eq: "${code}" } }) { totalCount } }`,
    ]) {
      await answersAlike(query);
    }
    expect(globalThis).not.toHaveProperty('injected');
  });

  it('honour @skip and @include in each use of a fragment', async () => {
    const query = `query Both($id: UUID!, $a: Boolean!, $b: Boolean = true) {
      first: jobs(workspace: $id) { ...Page @include(if: $a) }
      second: jobs(workspace: $id) { ...Page @skip(if: $a) ...Page @include(if: $b) }
      third: jobs(workspace: $id) { totalCount } third: jobs(workspace: $id) @include(if: $b) { ... on JobConnection { nodes { refNumber } } }
    }
    fragment Page on JobConnection { nodes { id refNumber @skip(if: $a) } }`;
    for (const variables of [{ a: true }, { a: false }, { a: true, b: false }, { a: false, b: false }]) {
      const { data, errors } = await answersAlike(query, { id: workspace.id, ...variables });
      expect(errors).toBeUndefined();
      expect('nodes' in data.first).toBe(variables.a);
    }
    const { errors } = await answersAlike(query, { id: workspace.id, a: true, b: null });
    expect(errors).toHaveLength(1);
  });

  it('do not share conditions with another operation of their document', async () => {
    const document = `query A($id: UUID!, $with: Boolean!) { jobs(workspace: $id) { ...Page @include(if: $with) } }
      query B($id: UUID!) { jobs(workspace: $id) { ...Page } }
      fragment Page on JobConnection { totalCount }`;
    const ask = async (operationName: string, variables: object) => {
      const body = JSON.stringify({ query: document, operationName, variables });
      const headers = { 'content-type': 'application/json', authorization: 'Bearer demo-client-key' };
      return (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })).json();
    };
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await ask('A', { id: workspace.id, with: false })).toEqual({ data: { jobs: {} } });
      expect(await ask('B', { id: workspace.id })).toEqual({ data: { jobs: { totalCount: 2 } } });
    }
  });

  it('keep a client variable whose name the compiler also uses', async () => {
    const query = `query ($literal0: UUID!, $literal1: Int) {
      jobs(workspace: $literal0, where: { refNumber: { eq: "R-1" } }, first: $literal1) { nodes { refNumber } }
    }`;
    const { data } = await answersAlike(query, { literal0: workspace.id, literal1: 1 });
    expect(data).toEqual({ jobs: { nodes: [{ refNumber: 'R-1' }] } });
  });

  it('report field positions and variable errors in the same words', async () => {
    const none = '01a21124-9d31-757e-8ab3-c95ab79d7b3f';
    const query = `query ($id: UUID!, $first: Int) {
      one: job(id: $id) { id }
      ...Twice
    }
    fragment Twice on Query { one: job(id: $id) { type } jobs(first: $first) { totalCount } }`;
    const { errors } = await answersAlike(query, { id: none });
    const locations = [
      { line: 2, column: 7 },
      { line: 5, column: 31 },
    ];
    expect(errors).toEqual([
      { message: expect.any(String), path: ['one'], locations, extensions: { code: 'NOT_FOUND' } },
    ]);
    expect((await answersAlike(query, { id: 'none', first: 'a' })).errors).toHaveLength(2);
    expect((await answersAlike(query, { first: 1.5 })).errors).toHaveLength(2);
    expect((await answersAlike('{ jobs(first: 0) { totalCount } }')).errors[0].locations).toHaveLength(1);
    const refused = 'mutation { createWorkspace(body: {}) { id } }';
    expect((await answersAlike(refused)).errors[0].locations).toEqual([{ line: 1, column: 12 }]);
  });

  it('answer every alias', async () => {
    const { data } = await answersAlike(`{ constructor: health { status: __typename } __proto__: __typename }`);
    expect(Object.keys(data)).toEqual(['constructor', '__proto__']);
  });

  it('read variable defaults, absent ones inside literals, and null as graphql-js does', async () => {
    const query = `query ($id: UUID!, $first: Int! = 1, $eq: String, $desc: SortDirection = desc) {
      jobs(workspace: $id, first: $first, where: { refNumber: { eq: $eq } }, order: [{ refNumber: $desc }]) { nodes { refNumber } }
    }`;
    const { data } = await answersAlike(query, { id: workspace.id });
    expect(data).toEqual({ jobs: { nodes: [{ refNumber: 'R-2' }] } });
    expect((await answersAlike(query, { id: workspace.id, eq: null })).data).toEqual({ jobs: { nodes: [] } });
    expect((await answersAlike(query, { id: workspace.id, first: null })).errors).toHaveLength(1);
  });
});

describe('GRAPHQL_JIT=off', () => {
  it('runs REST and GraphQL with graphql-js, with the same answers', async () => {
    await using compiled = await startTestService();
    const workspace = await makeWorkspace(compiled);
    const path = `/workspaces/${workspace.id}/jobs`;
    await compiled.ask('POST', path, { as: 'client', body: { refNumber: 'R-1' } });
    await using plain = await startTestService({
      database: compiled.stores.db.databaseName,
      env: { GRAPHQL_JIT: 'off' },
    });
    const query = 'query ($id: UUID!) { jobs(workspace: $id) { nodes { id refNumber } } }';
    for (const from of ['workspaces/none', `workspaces/${workspace.id}/jobs`]) {
      const [one, other] = await Promise.all(
        [compiled, plain].map((service) => service.ask('GET', `/${from}`, { as: 'client' })),
      );
      expect([one?.status, one?.body.code, one?.body.jobs]).toEqual([
        other?.status,
        other?.body.code,
        other?.body.jobs,
      ]);
    }
    for (let turn = 0; turn < 3; turn += 1) {
      const answers = await Promise.all(
        [compiled, plain].map((service) => service.graphql(query, { id: workspace.id })),
      );
      expect(answers[1]?.body).toEqual(answers[0]?.body);
      expect(answers[1]?.body.data.jobs.nodes).toHaveLength(1);
    }
  });
});

describe('REST endpoints', () => {
  it('are all compiled', () => {
    const left = endpoints.flatMap((endpoint) =>
      compileOperation(schema, parse(endpoint.operation), undefined) ? [] : [endpoint.id],
    );
    expect(left).toEqual([]);
  });
});

describe('an answered mutation', () => {
  const REQUESTS = 60_000;
  const AT_ONCE = 32;
  /** A mutation `change`, under an id given by its resolver. */
  function changing() {
    const id = new GraphQLScalarType({ name: 'JSON' });
    const changed = new GraphQLObjectType({ name: 'Changed', fields: { id: { type: id } } });
    const fields = { change: { type: changed, resolve: async () => ({ id: 'a' }) } };
    const [query, mutation] = ['Query', 'Mutation'].map((name) => new GraphQLObjectType({ name, fields }));
    const operation = compileOperation(
      new GraphQLSchema({ query, mutation }),
      parse('mutation { change { id } }'),
      undefined,
    );
    if (!operation) throw new Error('it was not compiled');
    return operation;
  }

  it('leaves nothing that outlives it', async () => {
    const operation = changing();
    let left = 0;
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        const context = { ballast: new Array(128).fill(left) };
        expect(await operation.run({}, context as never)).toEqual({ data: { change: { id: 'a' } } });
        if (left % 8 === 0) await nextTurn();
      }
    };
    const keptOf = async (): Promise<number> => {
      left = REQUESTS;
      collect(); // everything there now is old
      const before = oldBytes();
      await Promise.all(Array.from({ length: AT_ONCE }, client));
      return oldBytes() - before;
    };
    const kept = [await keptOf(), await keptOf(), await keptOf()];
    expect(Math.max(...kept)).toBeLessThan(10_000_000);
  });
});
