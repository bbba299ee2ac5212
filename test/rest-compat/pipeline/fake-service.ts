import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExecutionResult, execute, getOperationAST, Kind, parse, validate } from 'graphql';
import { endpoints } from '../../../rest-compat/endpoints.ts';
import type { RestOptions } from '../../../rest-compat/serve/options.ts';
import { restHandler } from '../../../rest-compat/serve/router.ts';
import type { Viewer } from '../../../src/auth/viewer.ts';
import { unauthenticated } from '../../../src/errors.ts';
import type { Gateway, Operation, Variables } from '../../../src/gateway.ts';
import { fakeSchema } from './fake-schema.ts';

/** A test's stand-in for the domain: one function per root field it uses. */
export type Resolvers = Readonly<Record<string, (args: Variables, context: FakeContext) => unknown>>;

export interface FakeContext {
  readonly viewer: Viewer | undefined;
  readonly seed: string | undefined;
  disposed: boolean;
  limitReads(): void;
  readAtOneTime(): void;
  dispose(): void;
}

/** A log line as the service would write it. */
interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
}

const KEYS: Readonly<Record<string, Viewer>> = {
  writer: { id: 'p-writer', tenant: 't-1', name: 'writer', scopes: new Set(['read', 'write']) },
  other: { id: 'p-other', tenant: 't-2', name: 'other', scopes: new Set(['read', 'write']) },
  reader: { id: 'p-reader', tenant: 't-1', name: 'reader', scopes: new Set(['read']) },
};

/** A gateway over the fake schema; `contexts` holds each context it opened. */
export function fakeGateway(resolvers: Resolvers): Gateway & { readonly contexts: FakeContext[] } {
  const schema = fakeSchema;
  const contexts: FakeContext[] = [];
  const root = Object.fromEntries(
    Object.entries(resolvers).map(([name, resolve]) => [
      name,
      async (args: Variables, context: FakeContext) => resolve(args, context),
    ]),
  );
  return {
    schema,
    contexts,
    prepare: (text) => prepare(schema, text),
    run: (operation, variables, context) =>
      execute({
        schema,
        document: { kind: Kind.DOCUMENT, definitions: [operation.definition] },
        rootValue: root,
        variableValues: variables,
        contextValue: context,
        typeResolver: () => 'Job',
      }) as Promise<ExecutionResult>,
    refusalOf: async () => undefined,
    authenticate: (request) => viewerOf(request),
    recheck(request) {
      viewerOf(request);
      return performance.now();
    },
    open: ((viewer: Viewer | undefined, { seed }: { seed?: string }) => {
      const context: FakeContext = {
        viewer,
        seed,
        disposed: false,
        limitReads: () => undefined,
        readAtOneTime: () => undefined,
        dispose() {
          this.disposed = true;
        },
      };
      contexts.push(context);
      return context;
    }) as unknown as Gateway['open'],
  };
}

function prepare(schema: Gateway['schema'], text: string): Operation {
  const document = parse(text);
  const faults = validate(schema, document);
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join('\n'));
  const definition = getOperationAST(document);
  if (!definition) throw new Error('no operation');
  return { name: definition.name?.value ?? '', definition, text };
}

function viewerOf({ headers }: IncomingMessage): Viewer | undefined {
  if (headers.authorization === undefined) return undefined;
  const viewer = KEYS[headers.authorization.replace('Bearer ', '')];
  if (!viewer) throw unauthenticated('This key is not known.');
  return viewer;
}

/** Any handler on its own port; closed by `await using`. */
export async function listen(handler: RequestListener) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const port = (server.address() as AddressInfo).port;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The whole table over fake resolvers, on a port; `ask` sends a request as the writer by default. */
export async function fakeService(resolvers: Resolvers, options: Partial<RestOptions> = {}) {
  const lines: Line[] = [];
  const note = (level: Line['level']) => (fields: object) =>
    void lines.push({ level, fields: fields as Line['fields'] });
  const gateway = fakeGateway(resolvers);
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const handler = restHandler(endpoints, gateway, { log, maxBodyBytes: 1000, ...options });
  const server = await listen((request, response) =>
    handler(request, response, () => response.writeHead(404, { 'X-From': 'next' }).end()),
  );
  const ask = (method: string, path: string, init: Ask = {}) => {
    const { key = 'writer', json, headers, body } = init;
    return fetch(server.url + path, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        'accept-encoding': 'identity',
        ...headers,
      },
      ...(json !== undefined ? { body: JSON.stringify(json) } : body !== undefined && { body }),
    });
  };
  return { ...server, gateway, lines, ask, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

interface Ask {
  /** The name of the key; '' sends none. */
  readonly key?: string;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ID = '0190a000-0000-7000-8000-000000000001';
export const VERSION = '0190a000-0000-7000-8000-0000000000aa';

/** An entity as returned by resolvers. */
export const entity = (over: Readonly<Record<string, unknown>> = {}) => ({
  id: ID,
  versionId: VERSION,
  parentId: null,
  createdBy: ID,
  createdAt: '2026-01-31T08:30:00.000Z',
  modifiedBy: ID,
  modifiedAt: '2026-01-31T08:30:00.000Z',
  type: 'svc.bridge.workspace',
  schemaId: ID,
  workspaceId: null,
  body: { name: 'Näme "quoted"' },
  ...over,
});
