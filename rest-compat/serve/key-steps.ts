import { matchTags, noneMatchTags } from '../../src/http/etag.ts';
import { isUrlencoded, mediaTypeOf } from '../../src/http/media-type.ts';
import type { Answer, LargeAnswer } from '../../src/model/idempotency.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Exchange } from '../exchange.ts';
import { canonical, claimKey, fingerprint, type IdempotencyStore, isKept, isKey, readKey } from './idempotency.ts';
import { seal, unseal } from './sealed-answer.ts';
import { ANSWERED, type Outcome, type Step } from './step.ts';

/** Replays the first response if the key was used before; otherwise arranges for this response to be stored. */
export function claimIdempotencyKey(endpoint: Endpoint, store: IdempotencyStore, takesJson: boolean): Step {
  const { method, showsSecret } = endpoint;
  const targetOf = targetReader(endpoint);
  return (exchange) => {
    exchange.claimForRefusal = undefined;
    const header = exchange.headers['idempotency-key'];
    if (header === undefined) return;
    const key = readKey(header);
    const isJson = takesJson && !isUrlencoded(exchange.request);
    const what = fingerprint(method, targetOf(exchange), isJson ? canonical(exchange.bytes) : exchange.bytes);
    return claim(exchange, store, { key, what, showsSecret });
  };
}

/**
 * From here on, refusals are stored under the key too (contract §13). They come before the body is read, so only its type and
 * length identify it: the same request gets the same refusal, and any other needs another key.
 */
export function keepRefusals(endpoint: Endpoint, store: IdempotencyStore): Step {
  const { method } = endpoint;
  const targetOf = targetReader(endpoint);
  return (exchange) => {
    const { 'idempotency-key': header, 'content-length': length } = exchange.headers;
    if (!isKey(header)) return;
    exchange.claimForRefusal = () => {
      const unread = `unread ${mediaTypeOf(exchange.request)} ${length}`;
      return claim(exchange, store, { key: readKey(header), what: fingerprint(method, targetOf(exchange), unread) });
    };
  };
}

interface ClaimedUse {
  readonly key: string;
  /** The fingerprint of the request. */
  readonly what: string;
  readonly showsSecret?: boolean | undefined;
}

async function claim(
  exchange: Exchange,
  store: IdempotencyStore,
  { key, what, showsSecret = false }: ClaimedUse,
): Promise<Outcome> {
  const { tenant = '', id } = exchange.viewer ?? {};
  const use = { principal: `${tenant}:${id}`, key, fingerprint: what };
  let claimed = await claimKey(store, use);
  while (claimed.state === 'settled') {
    const answer = await readAnswer(exchange, claimed.answer, (large) => store.read(use, large, tenant));
    if (answer) {
      await exchange.form?.discard();
      const { status, headers, body } = unseal(answer, key);
      exchange.replayed = true;
      exchange.write({ status, headers: [...headers, 'Idempotency-Replayed', 'true'], body });
      return ANSWERED;
    }
    claimed = await claimKey(store, use);
  }
  exchange.seed = claimed.seed;
  const held = { ...use, holder: claimed.holder };
  exchange.keep = (kept) =>
    isKept(kept.status) ? store.settle(held, showsSecret ? seal(kept, key) : kept) : store.release(held);
}

/** A large answer is read once there is room for it; undefined, with a warning in the log, if it is lost. */
async function readAnswer(
  { response, viewer, answerRoom, log, requestId }: Exchange,
  answer: Answer | LargeAnswer,
  read: (large: LargeAnswer) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  if (!('file' in answer)) return answer;
  await answerRoom?.reserve({ response, tenant: viewer?.tenant }, answer.bytes);
  const found = await read(answer);
  if (!found)
    log.warn({ requestId }, 'the response kept for an Idempotency-Key is lost; the request is carried out again');
  return found;
}

/** Reads the address of a request, followed by the versions in each precondition that the endpoint supports and the request sets. */
function targetReader({ variables }: Endpoint): (exchange: Exchange) => string {
  const heeded = new Set(Object.values(variables).map(({ from }) => from));
  const conditions = CONDITIONS.filter(({ source }) => heeded.has(source));
  return (exchange) => {
    let target = urlOf(exchange);
    for (const { header, versions } of conditions) {
      const sent = exchange.headers[header];
      if (sent !== undefined) target += ` ${header}: ${JSON.stringify(versions(sent))}`;
    }
    return target;
  };
}

const CONDITIONS = [
  { source: 'if-match', header: 'if-match', versions: matchTags },
  { source: 'if-none-match', header: 'if-none-match', versions: noneMatchTags },
] as const;

const urlOf = ({ path, queryText }: Exchange): string => (queryText === '' ? path : `${path}?${queryText}`);
