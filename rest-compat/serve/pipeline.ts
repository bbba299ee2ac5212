import type { ExecutionResult } from 'graphql';
import { forbidden, invalidInput, notFound, unauthenticated } from '../../src/errors.ts';
import type { Gateway } from '../../src/gateway.ts';
import { parseBody, readBody } from '../../src/http/body.ts';
import { checkAccept, checkFormType, checkMediaType, isUrlencoded } from '../../src/http/media-type.ts';
import { parseQuery } from '../../src/http/query-string.ts';
import { isObject } from '../../src/model/json.ts';
import { type Endpoint, takesKey } from '../declare/endpoint.ts';
import type { Exchange } from './exchange.ts';
import { claimKey, fingerprint, readKey } from './idempotency.ts';
import type { RestOptions } from './options.ts';
import { compileForm, type ReceivedForm } from './received-form.ts';
import { compileAnswer } from './replies/answer.ts';
import { type Bind, compileSources, type Variables } from './sources/bind.ts';
import { compileUrlencoded } from './sources/urlencoded.ts';

type Viewer = Awaited<ReturnType<Gateway['authenticate']>>;

type ReceiveForm = (exchange: Exchange) => Promise<ReceivedForm>;

/** Serves one exchange from the credential on; the path and the method are known to be right. */
export type Serve = (exchange: Exchange) => void;

/**
 * Compiles an endpoint: everything that does not depend on the request is done here, once.
 * The order of checks is that of contract §11: credential, scope, version header and query, Accept, media type, body,
 * entity. Throws an Error that names the endpoint when its parts do not fit each other.
 */
export function compileEndpoint(endpoint: Endpoint, gateway: Gateway, options: RestOptions): Serve {
  try {
    return compile(endpoint, gateway, options);
  } catch (error) {
    throw new Error(`Endpoint ${endpoint.id}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function compile(endpoint: Endpoint, gateway: Gateway, options: RestOptions): Serve {
  const operation = gateway.prepare(endpoint.operation);
  const binders = compileSources(endpoint, operation, gateway.schema);
  const openContext = gateway.open.bind(gateway);
  const run = (exchange: Exchange, variables: Variables): Promise<ExecutionResult> | ExecutionResult => {
    exchange.context ??= openContext(exchange.viewer, exchange);
    return gateway.run(operation, variables, exchange.context);
  };
  const { isSecure = () => false } = options;
  const answer = compileAnswer(endpoint, {
    operation,
    schema: gateway.schema,
    paging: binders.paging,
    isSecure,
    run,
  });
  const scope = endpoint.scope ?? (operation.definition.operation === 'mutation' ? 'write' : 'read');
  const { idempotency } = options;
  const keeps = idempotency !== undefined && takesKey(endpoint);
  const receiveForm = compileForm(endpoint, gateway, options.maxFileBytes);
  const readUrlencoded = compileUrlencoded(endpoint, operation, gateway.schema);
  const check = endpoint.open ? undefined : endpoint.family.check;

  const admit = (exchange: Exchange, viewer: Viewer): void | Promise<void> => {
    if (exchange.isAnswered) return;
    exchange.viewer = viewer;
    if (!endpoint.open) checkScope(viewer, scope);
    const refused = check?.(exchange.request);
    if (refused) throw refused;
    exchange.query = parseQuery(exchange.queryText, exchange.faults);
    bindAll(binders.early, exchange);
    if (endpoint.reply.kind !== 'content') checkAccept(exchange.request);
    if (receiveForm) return takeForm(exchange, receiveForm);
    if (!binders.takesBody) return received(exchange, NO_BODY);
    checkMediaType(exchange.request, readUrlencoded !== undefined);
    readBody(exchange.request, options.maxBodyBytes, {
      done: (body) => guard(exchange, () => received(exchange, body)),
      fail: (error) => exchange.fail(error),
    });
  };

  /** A form is refused as early as its file can be; one that is refused later leaves no file behind. */
  const takeForm = async (exchange: Exchange, receive: ReceiveForm): Promise<void> => {
    checkFormType(exchange.request);
    bindAll(binders.places, exchange);
    if (exchange.lost) throw notFound(...exchange.lost);
    const form = await receive(exchange);
    exchange.form = form;
    if (exchange.isAnswered) return form.discard();
    try {
      await received(exchange, form.identity);
    } catch (error) {
      await form.discard();
      throw error;
    }
  };

  const received = (exchange: Exchange, body: Uint8Array): void | Promise<void> => {
    if (exchange.isAnswered) return;
    const header = exchange.headers['idempotency-key'];
    if (!keeps || header === undefined) return perform(exchange, body);
    return claimed(exchange, body, readKey(header));
  };

  const claimed = async (exchange: Exchange, body: Uint8Array, key: string): Promise<void> => {
    if (idempotency === undefined) return;
    const what = fingerprint(endpoint.method, urlOf(exchange), body);
    const use = { principal: exchange.viewer?.id ?? '', key, fingerprint: what };
    const claim = await claimKey(idempotency, use);
    if (claim.state === 'settled') {
      await exchange.form?.discard();
      const { status, headers, body: text } = claim.answer;
      exchange.write({ status, headers: [...headers, 'Idempotency-Replayed', 'true'], body: text });
      return;
    }
    exchange.seed = claim.seed;
    exchange.keep = (kept) => (kept.status < 500 ? idempotency.settle(use, kept) : idempotency.release(use));
    return perform(exchange, body);
  };

  const perform = (exchange: Exchange, body: Uint8Array): void | Promise<void> => {
    if (binders.takesBody) {
      const read = readUrlencoded && isUrlencoded(exchange.request) ? readUrlencoded : parseBody;
      exchange.body = read(body as Buffer);
      if (!isObject(exchange.body)) throw invalidInput([{ path: '', message: 'must be a JSON object.' }]);
    }
    bindAll(binders.late, exchange);
    if (exchange.lost) throw notFound(...exchange.lost);
    return answer(exchange);
  };

  /** A report says what is wrong in its own words. */
  const availability = endpoint.reply.kind === 'report' ? undefined : options.availability;

  return (exchange) =>
    guard(exchange, () => {
      if (availability) exchange.waitFor(availability);
      const viewer = endpoint.open ? undefined : gateway.authenticate(exchange.request, scope === 'write');
      if (viewer instanceof Promise) return viewer.then((known) => admit(exchange, known));
      return admit(exchange, viewer);
    });
}

const NO_BODY = Buffer.alloc(0);

/** Runs a stage; whatever it throws, at once or later, becomes the answer. */
function guard(exchange: Exchange, stage: () => void | Promise<void>): void {
  try {
    const later = stage();
    if (later instanceof Promise) later.catch((error: unknown) => exchange.fail(error));
  } catch (error) {
    exchange.fail(error);
  }
}

function checkScope(viewer: Viewer, scope: 'read' | 'write' | 'none'): void {
  if (viewer === undefined) throw unauthenticated();
  if (scope !== 'none' && !viewer.scopes.has(scope)) throw forbidden(`This credential has no ${scope} access.`);
}

/** Binds variables, and refuses the request with all of the faults that were found on the way. */
function bindAll(binders: readonly Bind[], exchange: Exchange): void {
  for (const bind of binders) bind(exchange, exchange.variables);
  if (exchange.faults.length > 0) throw invalidInput(exchange.faults);
}

const urlOf = ({ path, queryText }: Exchange): string => (queryText === '' ? path : `${path}?${queryText}`);
