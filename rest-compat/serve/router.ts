import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import { invalidInput, ServiceError, type Violation } from '../../src/errors.ts';
import type { Gateway } from '../../src/gateway.ts';
import { BROKEN_ENCODING, percentDecoded } from '../../src/http/query-string.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { Exchange } from '../exchange.ts';
import type { RestOptions } from './options.ts';
import { compileEndpoint, type Serve } from './pipeline.ts';

/** Handles a request or calls `next`; works as a Node request listener and as Express middleware. */
type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** The maximum length of a request line, because endpoints check the length of their parameters themselves. */
const MAX_PARAMETER = 16_384;

/**
 * Compiles the table of endpoints into one handler, which passes other paths to `next`.
 * Throws an Error with the endpoint's id if one does not fit the schema.
 */
export function restHandler(endpoints: readonly Endpoint[], gateway: Gateway, options: RestOptions): Handler {
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAMETER,
    onBadUrl: () => {},
    querystringParser: ignore,
  });
  for (const [shape, path] of pathsOf(endpoints, gateway, options)) router.on('GET', shape, () => {}, path);
  router.compile();

  const find = (url: string) => router.find('GET', url);
  return (request, response, next) => {
    const found = find(request.url ?? '/');
    if (found === null) next();
    else if (found.store === null) {
      const exchange = new Exchange(request, response, options);
      exchange.fail(
        invalidInput(brokenSegments(exchange.path, (path) => find(path)?.store as Path | null | undefined)),
      );
    } else (found.store as Path).serve(request, response, found.params);
  };
}

const NO_QUERY = {};
const ignore = (): object => NO_QUERY; // the query string is parsed once the endpoint is known

/** A path with its methods, which the router sees as one handler. */
interface Path {
  /** Its segments, each the name of its parameter or undefined. */
  readonly parameters: readonly (string | undefined)[];
  readonly methods: Map<string, { readonly id: string; readonly serve: Serve }>;
  readonly serve: (request: IncomingMessage, response: ServerResponse, params: Exchange['params']) => void;
}

function pathsOf(endpoints: readonly Endpoint[], gateway: Gateway, options: RestOptions): Map<string, Path> {
  const paths = new Map<string, Path>();
  for (const endpoint of endpoints) {
    const shape = shapeOf(endpoint.path);
    const path = paths.get(shape) ?? newPath(endpoint.path, options);
    paths.set(shape, path);
    if (path.methods.has(endpoint.method)) throw new Error(`Endpoint ${endpoint.id}: ${endpoint.route} stands twice`);
    const served = { id: endpoint.id, serve: compileEndpoint(endpoint, gateway, options) };
    path.methods.set(endpoint.method, served);
    if (endpoint.method === 'GET') path.methods.set('HEAD', served);
  }
  return paths;
}

/** The path with parameters named by position, so that endpoints may use different names for the same segment. */
function shapeOf(path: string): string {
  let position = 0;
  return path.replaceAll(/\{\w+\}/g, () => `:p${position++}`);
}

function newPath(template: string, { log, addressOf, standing, countHeaders, answerRoom }: RestOptions): Path {
  const place = { log, addressOf, standing, countHeaders, answerRoom };
  const methods: Path['methods'] = new Map();
  const serve: Path['serve'] = (request, response, params) => {
    const method = methods.get(request.method ?? '');
    if (method === undefined) refuseMethod(new Exchange(request, response, place), [...methods.keys(), 'OPTIONS']);
    else method.serve(new Exchange(request, response, { ...place, endpoint: method.id, params }));
  };
  const parameters = template.split('/').map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1]);
  return { parameters, methods, serve };
}

function refuseMethod(exchange: Exchange, methods: readonly string[]): void {
  const allow = methods.join(', ');
  if (exchange.request.method === 'OPTIONS') exchange.send(204, ['Allow', allow]);
  else {
    const detail = `${exchange.request.method} does not exist on this path. Allowed: ${allow}.`;
    exchange.fail(new ServiceError('METHOD_NOT_ALLOWED', detail, { headers: { Allow: allow } }));
  }
}

/** The segments of a path that cannot be decoded: by their names if the rest of it is a path of the table, or else as they were sent. */
function brokenSegments(path: string, find: (path: string) => Path | null | undefined): readonly Violation[] {
  const segments = path.split('/');
  const readable = segments.map((segment) => (isBroken(segment) ? 'x' : segment));
  const names = find(readable.join('/'))?.parameters ?? [];
  return segments.flatMap((segment, index) =>
    isBroken(segment) ? { parameter: names.at(index - segments.length) ?? segment, message: BROKEN_ENCODING } : [],
  );
}

const isBroken = (segment: string): boolean => percentDecoded(segment) === undefined;
