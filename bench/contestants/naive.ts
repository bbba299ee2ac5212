// A naive GraphQL behind REST: every route runs GraphQL text, which graphql-js parses, validates and executes each time,
// over the same Pothos schema, with objects from the driver in between.
import express, { type Response } from 'express';
import { type GraphQLObjectType, graphql } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { schema } from '../../schema/schema.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { Entity } from '../../src/model/entity/entity.ts';
import { expressBase, principalOf, serve } from './express-base.ts';
import { connectJobs, Refused } from './jobs.ts';
import { naiveContext } from './naive-context.ts';

const jobs = await connectJobs();
const app = expressBase(jobs);

// A body is an ordinary object here, not text to copy.
const { body } = (schema.getType('Job') as GraphQLObjectType).getFields();
if (body) body.resolve = (entity: Entity) => entity.content();

const ENVELOPE = 'id versionId parentId createdBy createdAt modifiedBy modifiedAt type body workspaceId schemaId';

/** Runs GraphQL text for a REST route and returns its root field. */
async function run(response: Response, source: string, variableValues: Record<string, unknown>): Promise<unknown> {
  const contextValue = naiveContext(jobs, principalOf(response));
  const { data, errors } = await graphql({ schema, source, variableValues, contextValue });
  const [error] = errors ?? [];
  if (error) throw error.originalError instanceof Refused ? error.originalError : new Refused(400, error.message);
  return Object.values(data ?? {})[0];
}

type Node = Record<string, unknown>;

const envelopeOf = (node: Node) => ({
  id: node.id,
  version_id: node.versionId,
  parent_id: node.parentId,
  created_by: node.createdBy,
  created_at: node.createdAt,
  modified_by: node.modifiedBy,
  modified_at: node.modifiedAt,
  type: node.type,
  body: node.body,
  meta: { workspace: node.workspaceId },
  schema: node.schemaId,
});

const READ_HEADERS = { 'Cache-Control': 'private, no-cache' };

app.get('/v2/workspaces/:workspace/documents/:id', async ({ params }, response) => {
  const query = `query Get($workspace: UUID!, $id: UUID!) { document(workspace: $workspace, id: $id) { ${ENVELOPE} } }`;
  const node = (await run(response, query, params)) as Node;
  response.set({ ...READ_HEADERS, ETag: `"${node.versionId}"` }).json(envelopeOf(node));
});

app.get('/workspaces/:workspace/jobs/:id', async ({ params }, response) => {
  const query = 'query Get($workspace: UUID!, $id: UUID!) { job(workspace: $workspace, id: $id) { versionId body } }';
  const node = (await run(response, query, params)) as Node;
  response.set({ ...READ_HEADERS, ETag: `"${node.versionId}"` }).json(node.body);
});

app.get('/v2/workspaces/:workspace/documents', async (request, response) => {
  const query = `query List($workspace: UUID!, $offset: Int) {
    documents(workspace: $workspace, type: "${JOB_TYPE}", offset: $offset) { nodes { ${ENVELOPE} } }
  }`;
  const offset = Number(request.query.offset ?? 0);
  const { nodes } = (await run(response, query, { ...request.params, offset })) as { nodes: Node[] };
  response.set(READ_HEADERS).json(nodes.map(envelopeOf));
});

app.post('/v2/workspaces/:workspace/documents', express.json({ limit: '32mb' }), async (request, response) => {
  const query = `mutation Create($workspace: UUID!, $type: String!, $body: DocumentBody!) {
    createDocument(workspace: $workspace, type: $type, body: $body) { ${ENVELOPE} }
  }`;
  const node = (await run(response, query, { ...request.params, ...request.body })) as Node;
  response
    .status(201)
    .set({ ETag: `"${node.versionId}"`, Location: `${request.path}/${node.id}` })
    .json(envelopeOf(node));
});

app.post('/v2/workspaces/:workspace/documents/bulk', express.json({ limit: '32mb' }), async (request, response) => {
  const query = `mutation CreateMany($workspace: UUID!, $type: String!, $bodies: [DocumentBody!]!) {
    createDocuments(workspace: $workspace, type: $type, bodies: $bodies) { ${ENVELOPE} }
  }`;
  const { type, body: bodies } = request.body;
  const nodes = (await run(response, query, { ...request.params, type, bodies })) as Node[];
  response.status(201).json(nodes.map(envelopeOf));
});

const yoga = createYoga({
  schema,
  logging: false,
  graphiql: false,
  parserAndValidationCache: false,
  context: ({ res }: { res: Response }) => naiveContext(jobs, principalOf(res)),
});
app.use('/graphql', yoga as unknown as express.RequestHandler);

serve(app);
