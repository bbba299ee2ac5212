import type { ExecutionResult } from 'graphql';
import { invalidInput, missingScope, ServiceError, unauthenticated } from '../../src/errors.ts';
import type { Gateway } from '../../src/gateway.ts';
import { type BodyLimits, parseBody, readBody } from '../../src/http/bodies/body.ts';
import {
  checkAccept,
  checkFormType,
  checkMediaType,
  hasBody,
  isReadableJson,
  isUrlencoded,
  wantsEventStream,
} from '../../src/http/media-type.ts';
import type { AnswerRoom } from '../../src/http/rooms/answer-room.ts';
import { isObject } from '../../src/model/json.ts';
import { type Endpoint, isListed, scopeOf, takesKey } from '../declare/endpoint.ts';
import type { Exchange } from '../exchange.ts';
import { compileReply } from '../replies/compile-reply.ts';
import { type CompiledSources, compileSources } from '../sources/compile-sources.ts';
import type { Variables } from '../sources/source-kind.ts';
import { compileUrlencoded, type ReadUrlencoded } from '../sources/urlencoded.ts';
import { bindQuery, bindRequest, throwIfUnknown } from './bind-steps.ts';
import { isKept } from './idempotency.ts';
import { claimIdempotencyKey, keepRefusals } from './key-steps.ts';
import type { Availability, RestOptions } from './options.ts';
import { compileForm, type ReceiveForm } from './received-form.ts';
import { ANSWERED, type Step } from './step.ts';

/** Serves one exchange, from authentication on; path and method have been matched. */
export type Serve = (exchange: Exchange) => void;

/**
 * Compiles an endpoint: everything that does not depend on the request is done here, once.
 * Throws an Error with the endpoint's id if its parts are inconsistent.
 */
export function compileEndpoint(endpoint: Endpoint, gateway: Gateway, options: RestOptions): Serve {
  try {
    const steps = stepsOf(endpoint, gateway, options);
    return (exchange) => run(steps, exchange);
  } catch (error) {
    throw new Error(`Endpoint ${endpoint.id}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** The default maximum size of a file, in bytes. */
const GIBIBYTE = 1024 ** 3;

/** The default limits on a stalled client, in milliseconds. */
const STALLS = { bodyMs: 30_000, uploadMs: 60_000 };

/** The steps of a request, in the order of checks of contract §11. */
function stepsOf(endpoint: Endpoint, gateway: Gateway, options: RestOptions): readonly Step[] {
  const { open, family, reply, variables } = endpoint;
  const { stalls = STALLS, listReadMs = 0 } = options;
  const bodyLimits: BodyLimits = {
    maxBytes: Math.min(options.maxBodyBytes, endpoint.maxBodyBytes ?? options.maxBodyBytes),
    isJson: true,
    stallMs: stalls.bodyMs,
    room: options.bodyRoom,
  };
  const operation = gateway.prepare(endpoint.operation);
  const sources = compileSources(endpoint, operation, gateway.schema);
  const readUrlencoded = compileUrlencoded(endpoint, operation, gateway.schema);
  const receiveForm = compileForm(variables, gateway, {
    maxFileBytes: options.maxFileBytes ?? GIBIBYTE,
    stallMs: stalls.uploadMs,
  });
  const changes = operation.definition.operation === 'mutation';
  const openContext = gateway.open.bind(gateway);
  const contextOf = (exchange: Exchange): NonNullable<Exchange['context']> => {
    if (!exchange.context) {
      exchange.context = openContext(exchange.viewer, exchange);
      if (listReadMs > 0 && isListed(endpoint)) exchange.context.limitReads(listReadMs);
    }
    return exchange.context;
  };
  const runOperation = (exchange: Exchange, bound: Variables): Promise<ExecutionResult> | ExecutionResult =>
    gateway.run(operation, bound, contextOf(exchange));
  const binding = { gateway, operation, sources, contextOf };
  const { isSecure = () => false, cookiePrefix = '', basePath = '', idempotency, availability } = options;
  const answer = compileReply(endpoint, {
    operation,
    schema: gateway.schema,
    places: sources.places,
    cookieManner: (request) => ({ secure: cookiePrefix !== '' || isSecure(request), prefix: cookiePrefix }),
    basePath,
    run: runOperation,
    readAtOneTime: (exchange) => contextOf(exchange).readAtOneTime(),
    recheck: ({ request }, checked) => gateway.recheck(request, checked),
  });
  return [
    reply.kind === 'report' || availability === undefined ? undefined : waitForDatabase(availability, changes), // 503
    open ? undefined : authenticate(gateway, changes), // 401
    idempotency && takesKey(endpoint) ? keepRefusals(endpoint, idempotency) : undefined,
    open ? undefined : checkScope(scopeOf(endpoint, changes)), // 403
    open ? undefined : checkVersion(family.check), // 400
    bindQuery(binding), // 400
    ACCEPT_CHECKS[reply.kind] ?? checkAcceptHeader, // 406
    receiveForm ? takeForm(receiveForm, sources) : undefined, // 415, 404, 413, 400
    sources.takesJsonBody ? takeBody(bodyLimits, readUrlencoded !== undefined) : undefined, // 415, 413
    receiveForm || sources.takesJsonBody || endpoint.method === 'GET' ? undefined : checkUnneededBody(bodyLimits), // 413, 400
    open || endpoint.method === 'GET' ? undefined : checkStillValid(gateway), // 401
    idempotency && takesKey(endpoint) ? claimIdempotencyKey(endpoint, idempotency, sources.takesJsonBody) : undefined, // 409, 422
    receiveForm ? throwRefusal : undefined, // 404, 403
    sources.takesJsonBody ? readJsonBody(readUrlencoded) : undefined, // 400
    bindRequest(binding), // 400, 404
    options.answerRoom && changes ? waitForAnswers(options.answerRoom, gateway) : undefined, // 503, 401
    answer, // 404, 403, 412, 409
  ].filter((step) => step !== undefined);
}

/** Runs the steps from an index on; an error of any step, synchronous or not, becomes the response. */
function run(steps: readonly Step[], exchange: Exchange, from = 0): void {
  try {
    for (let index = from; index < steps.length; index++) {
      const outcome = steps[index]?.(exchange);
      if (outcome === ANSWERED) return;
      if (outcome instanceof Promise) {
        outcome.then(
          (later) => {
            if (later !== ANSWERED) resume(steps, exchange, index + 1);
          },
          (error: unknown) => refuse(exchange, error),
        );
        return;
      }
    }
  } catch (error) {
    refuse(exchange, error);
  }
}

/** Continues an already answered request only if its outcome must be stored under its key. */
function resume(steps: readonly Step[], exchange: Exchange, from: number): void {
  if (!exchange.isAnswered || exchange.keep !== undefined) run(steps, exchange, from);
  else void exchange.form?.discard();
}

/** Rejects a request; if its key is not claimed yet, claims it for the refusal. */
function refuse(exchange: Exchange, error: unknown): void {
  const { claimForRefusal: claim } = exchange;
  exchange.claimForRefusal = undefined;
  const isWorthKeeping = error instanceof ServiceError && isKept(error.status);
  if (claim === undefined || !isWorthKeeping) discard(exchange, error);
  else
    claim().then(
      (outcome) => {
        if (outcome !== ANSWERED) discard(exchange, error);
      },
      (failure: unknown) => discard(exchange, failure),
    );
}

/** Discards the uploaded file of a rejected request. */
function discard(exchange: Exchange, error: unknown): void {
  if (exchange.form === undefined) exchange.fail(error);
  else void exchange.form.discard().then(() => exchange.fail(error));
}

/** Every request but a report is aborted when the database stops responding. */
function waitForDatabase(availability: Availability, changes: boolean): Step {
  return (exchange) => exchange.waitFor(availability, changes);
}

function authenticate(gateway: Gateway, changes: boolean): Step {
  return (exchange) => {
    const viewer = gateway.authenticate(exchange.request, changes);
    if (!(viewer instanceof Promise)) {
      exchange.viewer = viewer;
      return;
    }
    return viewer.then((known) => {
      exchange.viewer = known;
    });
  };
}

/** Rejects a credential that became invalid while the body arrived, like one that was invalid before. */
function checkStillValid(gateway: Gateway): Step {
  return ({ request, started }) => {
    const checked = gateway.recheck(request, started);
    if (checked instanceof Promise) return checked.then(() => undefined);
  };
}

/** The domain enforces the scope; checking it here as well determines the order of errors. */
function checkScope(scope: ReturnType<typeof scopeOf>): Step {
  return ({ viewer }) => {
    if (viewer === undefined) throw unauthenticated();
    if (scope !== 'none' && !viewer.scopes.has(scope)) throw missingScope(scope, viewer.scopes);
  };
}

function checkVersion(check: Endpoint['family']['check']): Step | undefined {
  if (check === undefined) return undefined;
  return ({ request }) => {
    const refused = check(request);
    if (refused) throw refused;
  };
}

const checkAcceptHeader: Step = ({ request }) => checkAccept(request);

/** The Accept checks of replies that are not only JSON. */
const ACCEPT_CHECKS: Readonly<Partial<Record<Endpoint['reply']['kind'], Step>>> = {
  file: () => undefined,
  feed: ({ request }) => void wantsEventStream(request),
};

/** Receives a form, rejecting it as soon as its file can be rejected. */
function takeForm(receive: ReceiveForm, sources: CompiledSources): Step {
  return async (exchange) => {
    checkFormType(exchange.request);
    sources.bindPath(exchange, exchange.binding);
    throwIfUnknown(exchange.binding);
    const hasKey = exchange.claimForRefusal !== undefined;
    exchange.claimForRefusal = undefined; // an interrupted upload may be retried under its key
    const { identity, outcome } = await receive(exchange, hasKey);
    exchange.bytes = identity;
    if ('form' in outcome) exchange.form = outcome.form;
    else exchange.refusal = outcome.refusal;
  };
}

/** Answers a form that was refused under a key, now that the key is claimed. */
const throwRefusal: Step = ({ refusal }) => {
  if (refusal !== undefined) throw refusal;
};

function takeBody(limits: BodyLimits, orForm: boolean): Step {
  return (exchange) => {
    checkMediaType(exchange.request, orForm);
    return received(exchange, limits, (bytes) => {
      exchange.bytes = bytes;
    });
  };
}

/**
 * Waits for a body even where none is needed, because an interrupted request must change nothing; rejects a body sent as JSON
 * that is not valid JSON, and ignores any other.
 */
function checkUnneededBody(limits: BodyLimits): Step {
  return (exchange) => {
    const { request } = exchange;
    if (!hasBody(request)) return;
    const isJson = isReadableJson(request);
    return received(exchange, { ...limits, isJson }, (bytes) => {
      if (isJson && bytes.length > 0) parseBody(bytes);
    });
  };
}

/** Receives the body, then passes it to `then`. */
function received(exchange: Exchange, limits: BodyLimits, then: (body: Buffer) => void): Promise<void> {
  const { request, response, viewer } = exchange;
  return new Promise<Buffer>((done, fail) => {
    readBody({ request, response, tenant: viewer?.tenant }, limits, { done, fail });
  }).then(then);
}

function readJsonBody(readUrlencoded: ReadUrlencoded | undefined): Step {
  return (exchange) => {
    const read = readUrlencoded && isUrlencoded(exchange.request) ? readUrlencoded : parseBody;
    exchange.body = read(exchange.bytes as Buffer);
    if (!isObject(exchange.body)) throw invalidInput([{ path: '', message: 'must be a JSON object.' }]);
  };
}

/** Holds a change back while large responses of its tenant wait: once made, a change has to be answered. */
function waitForAnswers(room: AnswerRoom, gateway: Gateway): Step {
  const checkAfterwards = checkStillValid(gateway);
  return (exchange) => {
    const { response, viewer } = exchange;
    return room.beforeWrite({ response, tenant: viewer?.tenant })?.then(() => checkAfterwards(exchange));
  };
}
