import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const NOWHERE = '0190a000-0000-7000-8000-00000000dead';
const service = serviceFixture();
const workspace = workspaceFixture(service);
let job: { id: string; body: { location: string } };

beforeAll(async () => {
  const { body } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
    as: 'client',
    body: { refNumber: 'SECRET-1', location: { name: 'Secret Port' }, eta: '2026-01-01T10:00:00+02:00' },
  });
  job = body;
});

const send = (body: unknown, headers: Record<string, string> = {}) =>
  service.ask('POST', '/graphql', { as: 'client', body, headers });
const errorOf = (answer: {
  body: { errors: { message: string; path?: unknown; extensions: Record<string, unknown> }[] };
}) => answer.body.errors[0];

describe('GraphQL without a credential', () => {
  it('answers __typename and introspection in demo', async () => {
    const { status, body } = await service.graphql(
      '{ __typename __schema { queryType { name } } __type(name: "Job") { name } }',
      {},
      null,
    );
    expect([status, body.data.__typename, body.data.__type.name]).toEqual([200, 'Query', 'Job']);
  });

  it.each([
    'viewer { id }',
    'workspaces { totalCount }',
    'jobs { nodes { id } }',
    'organizations { totalCount }',
    `job(id: "${NOWHERE}") { id }`,
  ])('answers UNAUTHENTICATED for %s', async (field) => {
    const answer = await service.graphql(`{ ${field} }`, {}, null);
    expect(errorOf(answer)?.extensions.code).toBe('UNAUTHENTICATED');
    expect(answer.text).not.toContain('SECRET');
  });

  it('answers UNAUTHENTICATED and 401 for an invalid credential', async () => {
    for (const Authorization of ['Bearer wrong', 'Bearer', 'Basic abc', 'demo-client-key']) {
      const answer = await service.ask('POST', '/graphql', {
        body: { query: '{ __typename }' },
        headers: { Authorization },
      });
      expect([answer.status, errorOf(answer)?.extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });
});

describe('GraphQL for a stranger', () => {
  it.each([
    ['workspace(id: $w) { description }', 'FORBIDDEN'],
    ['job(id: $j) { refNumber }', 'FORBIDDEN'],
    ['document(id: $j) { body }', 'FORBIDDEN'],
    ['job(workspace: $w, id: $j) { refNumber }', 'FORBIDDEN'],
    ['jobs(workspace: $w) { nodes { refNumber } }', 'FORBIDDEN'],
    ['jobs(workspace: $w) { totalCount }', 'FORBIDDEN'],
    ['catalogRecords(workspace: $w) { nodes { name } }', 'FORBIDDEN'],
    ['catalogRecord(workspace: $w, id: $r) { name }', 'FORBIDDEN'],
    ['workspace(id: $x) { id }', 'NOT_FOUND'],
    ['job(id: $x) { id }', 'NOT_FOUND'],
    ['organization(id: $x) { id }', 'NOT_FOUND'],
  ])('answers %s with %s', async (field, code) => {
    const variables = { w: workspace.id, j: job.id, r: job.body.location, x: NOWHERE };
    const used = ['w', 'j', 'r', 'x'].filter((name) => field.includes(`$${name}`)).map((name) => `$${name}: UUID!`);
    const answer = await service.graphql(`query Q(${used}) { ${field} }`, variables, 'stranger');
    expect(errorOf(answer)?.extensions.code).toBe(code);
    expect(answer.text).not.toMatch(/secret|North Sea/i);
  });

  it('reveals nothing through relations of what anyone may find', async () => {
    const query = 'query Q($id: UUID!) { organization(id: $id) { id name versions { body } } }';
    const { body } = await service.graphql(query, { id: workspace.client }, 'stranger');
    expect(body.data.organization.versions).toHaveLength(1);
    const connection = await service.graphql(
      '{ jobs { nodes { id } } workspaces { nodes { id } } documents(type: "svc.inspection.job") { nodes { id } } }',
      {},
      'stranger',
    );
    expect(connection.body.data).toEqual({ jobs: { nodes: [] }, workspaces: { nodes: [] }, documents: { nodes: [] } });
  });

  it('changes nothing', async () => {
    const tries = [
      'updateWorkspace(id: $w, patch: { description: "x" }) { id }',
      'deleteWorkspace(id: $w) { id }',
      'createJob(workspace: $w, body: {}) { id }',
      'updateJob(id: $j, patch: { notes: "x" }) { id }',
      'deleteJob(id: $j) { id }',
      'createCatalogRecord(workspace: $w, catalog: "tests", body: { name: "x" }) { id }',
      'deleteOrganization(id: $o) { id }',
    ];
    for (const field of tries) {
      const variables = { w: workspace.id, j: job.id, o: workspace.client };
      const used = ['w', 'j', 'o'].filter((name) => field.includes(`$${name}`)).map((name) => `$${name}: UUID!`);
      const answer = await service.graphql(`mutation M(${used}) { ${field} }`, variables, 'stranger');
      expect([field, errorOf(answer)?.extensions.code]).toEqual([field, 'FORBIDDEN']);
    }
    const { body } = await service.ask('GET', `/workspaces/${workspace.id}/jobs/${job.id}`, { as: 'client' });
    expect(body).toEqual(job.body);
  });
});

describe('a GraphQL request that cannot run', () => {
  it.each([
    ['{ jobs {', 'GRAPHQL_PARSE_FAILED'],
    ['', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ jobs }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ jobs(first: "x") { totalCount } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('is rejected with a reason: %s is %s', async (query, code) => {
    const answer = await send({ query });
    expect(answer.body.data).toBeUndefined();
    expect(errorOf(answer)?.extensions.code).toBe(code);
    expect(errorOf(answer)?.message).not.toContain('Unexpected error');
    expect((await send({ query }, { Accept: 'application/graphql-response+json' })).status).toBe(400);
  });

  it.each([[{ id: 'x' }], [{ id: null }], [{}], [{ id: [NOWHERE, NOWHERE] }]])(
    'has invalid variables: %j',
    async (variables) => {
      const answer = await send({ query: 'query Q($id: UUID!) { job(id: $id) { id } }', variables });
      expect(errorOf(answer)?.extensions.code).toBe('BAD_USER_INPUT');
      expect(
        (
          await send(
            { query: 'query Q($id: UUID!) { job(id: $id) { id } }', variables },
            { Accept: 'application/graphql-response+json' },
          )
        ).status,
      ).toBe(400);
    },
  );

  it('has a literal invalid for its scalar', async () => {
    const answer = await send({ query: '{ job(id: "x") { id } }' });
    expect(errorOf(answer)?.extensions.code).toMatch(/^(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)$/);
    const body = await send({ query: `mutation { createJob(workspace: "${workspace.id}", body: [1]) { id } }` });
    expect(errorOf(body)?.extensions.code).toMatch(/^(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)$/);
  });

  it('names none of several operations, or an unknown one', async () => {
    const query = 'query A { __typename } query B { __typename }';
    for (const body of [{ query }, { query, operationName: 'C' }]) {
      const answer = await send(body);
      expect(answer.body.errors).toHaveLength(1);
      expect(answer.body.data).toBeUndefined();
    }
    expect((await send({ query, operationName: 'B' })).body).toEqual({ data: { __typename: 'Query' } });
  });

  it.each([
    '[]',
    '[{"query":"{__typename}"}]',
    '"x"',
    '{',
    '{"variables":{}}',
    '{"query":7}',
    '{"query":"{__typename}","variables":"x"}',
  ])('is not a GraphQL request: %s', async (body) => {
    const answer = await send(body, { Accept: 'application/graphql-response+json' });
    expect([answer.status, errorOf(answer)?.extensions]).toEqual([400, { code: 'BAD_USER_INPUT' }]);
    expect(answer.text).not.toMatch(/ at .*:\d+/);
  });

  it('is a mutation sent by GET', async () => {
    const query = encodeURIComponent('mutation { deleteJob(id: "x") { id } }');
    const answer = await service.ask('GET', `/graphql?query=${query}`, {
      as: 'client',
      headers: { Accept: 'application/json' },
    });
    expect(answer.status).toBe(405);
  });

  it('nests endlessly', async () => {
    for (const query of [
      `{ ${'a{'.repeat(20_000)}`,
      `mutation { createJob(workspace: "${workspace.id}", body: ${'{a:'.repeat(20_000)}1${'}'.repeat(20_000)}) { id } }`,
    ]) {
      const answer = await send({ query });
      expect([answer.status < 500, errorOf(answer)?.extensions.code]).toEqual([
        true,
        expect.stringMatching(/^(?!INTERNAL)/),
      ]);
    }
  });
});

describe('a GraphQL request that grows when expanded', () => {
  it.each([
    [
      'through an interface',
      (levels: number) => `{ job(id: "${job.id}") { ${'parent { '.repeat(levels)} id ${'}'.repeat(levels)} } }`,
    ],
    [
      'through fragments',
      (levels: number) =>
        `{ jobs { nodes { ...F0 } } } ${Array.from({ length: levels }, (_, i) => `fragment F${i} on Job { a${i}: workspace { id } ...F${i + 1} ... on Job { ...F${i + 1} } }`).join(' ')} fragment F${levels} on Job { id }`,
    ],
  ])('is answered or refused, each time it is sent: %s', async (_how, query) => {
    for (const levels of [12, 25, 100]) {
      for (let time = 0; time < 3; time++) {
        const { status } = await send({ query: query(levels) });
        expect(status).toBeLessThan(500);
      }
    }
    expect((await service.graphql('{ __typename }')).status).toBe(200);
  });
});

describe('a domain error in GraphQL', () => {
  it('has the code, the status and every fault with a pointer into the body', async () => {
    const answer = await service.graphql(
      'mutation M($w: UUID!, $b: JobBody!) { createJob(workspace: $w, body: $b) { id } }',
      { w: workspace.id, b: { status: 'late', eta: 'x' } },
    );
    expect(answer.body.data).toBeNull();
    expect(errorOf(answer)).toMatchObject({
      path: ['createJob'],
      extensions: { code: 'INVALID_INPUT', errors: [{ path: '/status' }, { path: '/eta' }] },
    });
  });

  it('leaves the rest of the answer intact', async () => {
    const { body } = await service.graphql(
      'query Q($x: UUID!, $j: UUID!) { missing: job(id: $x) { id } there: job(id: $j) { refNumber } }',
      { x: NOWHERE, j: job.id },
    );
    expect(body.data).toEqual({ missing: null, there: { refNumber: 'SECRET-1' } });
    expect(errorOf({ body })).toMatchObject({ path: ['missing'], extensions: { code: 'NOT_FOUND' } });
  });
});

describe('REST and GraphQL', () => {
  it('show the same entity alike', async () => {
    const { body: rest } = await service.ask('GET', `/v2/workspaces/${workspace.id}/documents/${job.id}`, {
      as: 'client',
    });
    const query = `query Q($id: UUID!) { document(id: $id) { id versionId parentId createdBy createdAt modifiedBy modifiedAt type schemaId workspaceId body
      ... on Job { refNumber eta status transports { id } location { id name xref workspaceId owner { id } } workspace { id client { organization { id } } } } } }`;
    const { body } = await service.graphql(query, { id: job.id.toUpperCase() }, 'vendor');
    const { refNumber, eta, status, transports, location, workspace: place, ...envelope } = body.data.document;
    expect(envelope).toEqual({
      id: rest.id,
      versionId: rest.version_id,
      parentId: rest.parent_id,
      createdBy: rest.created_by,
      createdAt: rest.created_at,
      modifiedBy: rest.modified_by,
      modifiedAt: rest.modified_at,
      type: rest.type,
      schemaId: rest.schema,
      workspaceId: rest.meta.workspace,
      body: rest.body,
    });
    expect({ refNumber, eta, status, transports }).toEqual({
      refNumber: 'SECRET-1',
      eta: '2026-01-01T10:00:00+02:00',
      status: null,
      transports: [],
    });
    expect(location).toEqual({
      id: rest.body.location,
      name: 'Secret Port',
      xref: null,
      workspaceId: workspace.id,
      owner: { id: workspace.client },
    });
    expect(place).toEqual({ id: workspace.id, client: { organization: { id: workspace.client } } });
  });
});
