import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { type DocumentNode, type ExecutionResult, execute, type GraphQLError, parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Viewer } from '../../src/auth/viewer.ts';
import { compileOperation } from '../../src/graphql/execution/jit.ts';
import { seedTrade } from '../seed-trade.ts';
import { serviceFixture } from '../service.ts';
import { drawFrom, type GeneratedOperation, OperationWriter, type Values } from './generated-operation.ts';

const CASES = Number(process.env.DIFFERENTIAL_CASES ?? 800);

describe('a compiled operation', () => {
  let values: Values;
  let viewer: Viewer;

  const service = serviceFixture({ sources: { now: () => new Date('2026-06-01T12:00:00Z') } });

  beforeAll(async () => {
    const trade = await seedTrade(service.stores, { jobs: 12, reported: 12 });
    const ids = (rows: readonly { readonly _id: string }[]) => rows.slice(0, 4).map(({ _id }) => _id);
    const jobs = ids(trade.documents);
    values = {
      id: [...jobs, ...ids(trade.results)],
      job: jobs,
      document: jobs,
      workspace: ids(trade.workspaces),
      UUID: [...jobs, ...ids(trade.workspaces), ...ids(trade.catalogRecords)],
      first: [1, 2, 3],
      DateTime: ['2024-05-01T10:00:00Z', '2026-05-20T00:00:00.000Z', 'yesterday'],
    };
    const [organization] = trade.organizations;
    viewer = { id: 'p-1', tenant: organization?._id ?? '', name: 'p', scopes: new Set(['read', 'write']) };
  });

  const open = () => service.gateway.open(viewer, { request: {} as IncomingMessage, requestId: 'r-1' });

  const byGraphqlJs = async (document: DocumentNode, { variables }: GeneratedOperation) => {
    const context = open();
    const result = await execute({
      schema: service.gateway.schema,
      document,
      variableValues: variables,
      contextValue: context,
    });
    await context.dispose();
    return result as ExecutionResult;
  };
  const byJit = async (document: DocumentNode, { variables }: GeneratedOperation) => {
    const context = open();
    const result = await compileOperation(service.gateway.schema, document, undefined)?.run(variables, context);
    await context.dispose();
    return result;
  };

  it('answers every query as graphql-js does', async () => {
    const counts = { run: 0, invalid: 0, left: 0, variables: 0, withVariables: 0, withErrors: 0, withData: 0 };
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.integer()), async (seed) => {
        const draw = drawFrom(seed);
        const operation = new OperationWriter(service.gateway.schema, values, draw).write();
        const document = parse(operation.text);
        if (validate(service.gateway.schema, document).length > 0) {
          counts.invalid += 1;
          return;
        }
        const theirs = await byGraphqlJs(document, operation);
        const ours = await byJit(document, operation);
        counts.run += 1;
        counts.variables += Object.keys(operation.variables).length;
        if (Object.keys(operation.variables).length > 0) counts.withVariables += 1;
        if (theirs.errors) counts.withErrors += 1;
        if (theirs.data) counts.withData += 1;
        if (!ours) counts.left += 1;
        else expect(shown(ours), JSON.stringify(operation)).toEqual(shown(theirs));
      }),
      { numRuns: CASES },
    );
    console.info(JSON.stringify(counts));
    expect(counts.run).toBeGreaterThan(CASES / 2);
    expect(counts.left).toBeLessThan(counts.run / 10);
  }, 300_000);
});

/**
 * What a client sees: the text of the data, and each error's position, code and message. If several reads fail below
 * one null, any may come first; there only the position of the null must match.
 */
const shown = ({ data, errors = [] }: ExecutionResult) => ({
  data: JSON.stringify(data),
  errors: [...new Set(errors.map((error) => ofError(error, data)))].sort(),
});

function ofError({ path, message, extensions }: Partial<GraphQLError>, data: unknown): string {
  if (!path) return JSON.stringify([extensions?.code ?? 'BAD_USER_INPUT', message]); // the code /graphql gives it
  let at = data;
  for (const [depth, key] of path.entries()) {
    if (at === null || at === undefined) return `null at ${path.slice(0, depth).join('.')}`;
    at = (at as Record<string, unknown>)[key];
  }
  return JSON.stringify([path.join('.'), extensions?.code, message]);
}
