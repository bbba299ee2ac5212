import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import canonicalize from 'canonicalize';
import { invalidHeader, ServiceError } from '../../src/errors.ts';
import { parseBody } from '../../src/http/bodies/body.ts';
import type { Answer, Claim, HeldKey, KeyUse, LargeAnswer } from '../../src/model/idempotency.ts';

/**
 * Stores used keys for 24 hours (contract §4). `claim` is atomic across all gateways. A claimed key has a lease that the
 * store renews until `settle` or `release`, so the key of a crashed gateway becomes free again.
 */
export interface IdempotencyStore {
  claim(use: KeyUse): Promise<Claim>;
  /** Reads a large answer on behalf of a tenant; undefined if it is lost: then the key can be claimed. */
  read(use: KeyUse, answer: LargeAnswer, tenant: string): Promise<Answer | undefined>;
  settle(use: HeldKey, answer: Answer): Promise<void>;
  /** Releases the key after a server error (5xx), so that the request can be retried. */
  release(use: HeldKey): Promise<void>;
}

const MAX_KEY = 128;
const WAIT_MS = 10_000;
const POLL_MS = 50;
/** The time allowed for the last look at a key, even if the wait is already over. */
const MIN_CLAIM_MS = 500;

/** The Idempotency-Key of a request; throws INVALID_INPUT if it is empty or too long. */
export function readKey(header: string | string[]): string {
  const key = String(header).trim();
  if (isUsable(key)) return key;
  throw invalidHeader('Idempotency-Key', `must have 1 to ${MAX_KEY} characters; this one has ${key.length}.`);
}

/** Whether a request has a usable key. */
export const isKey = (header: string | string[] | undefined): header is string | string[] =>
  header !== undefined && isUsable(String(header).trim());

const isUsable = ({ length }: string): boolean => length > 0 && length <= MAX_KEY;

/** The fingerprint of a request: method, path with query, preconditions and body. */
export const fingerprint = (method: string, target: string, body: Uint8Array | string): string =>
  createHash('sha256').update(`${method} ${target}\n`).update(body).digest('base64url');

/** The canonical form of a JSON body, independent of whitespace and member order (RFC 8785); other bodies as they are. */
export function canonical(body: Uint8Array): Uint8Array | string {
  try {
    return canonicalize(parseBody(body as Buffer)) ?? body;
  } catch {
    return body; // not JSON: rejected later
  }
}

/**
 * Whether a response is stored. Server errors are not, nor are responses that a retry might not get again: a rejected
 * credential, or too many requests.
 */
export const isKept = (status: number): boolean => status < 500 && !UNKEPT.has(status);

/** Credential rejected; body not received; too many requests; client disconnected. */
const UNKEPT: ReadonlySet<number> = new Set([401, 408, 429, 499]);

/**
 * Claims the key, waiting up to 10 s, including the last look, for a first request that is still running.
 * Throws IDEMPOTENCY_KEY_REUSED for another request under the key, IDEMPOTENCY_IN_PROGRESS if the wait times out.
 */
export async function claimKey(
  store: IdempotencyStore,
  use: KeyUse,
  waitMs = WAIT_MS,
): Promise<Exclude<Claim, { state: 'running' }>> {
  const until = Date.now() + waitMs;
  for (let pause = POLL_MS; ; pause = Math.min(pause * 1.5, 500)) {
    const isFirst = pause === POLL_MS;
    const claim = isFirst ? await store.claim(use) : await claimUntil(store, use, until);
    if (claim.state === 'claimed') return claim;
    if (claim.fingerprint !== use.fingerprint) throw reused();
    if (claim.state === 'settled') return claim;
    if (Date.now() >= until) throw inProgress();
    await sleep(pause);
  }
}

/** Claims the key by the deadline, else throws IDEMPOTENCY_IN_PROGRESS; a claim that succeeds too late is released again. */
async function claimUntil(store: IdempotencyStore, use: KeyUse, until: number): Promise<Claim> {
  const claiming = store.claim(use);
  const timer = new AbortController();
  const late = sleep(Math.max(until - Date.now(), MIN_CLAIM_MS), 'late' as const, { signal: timer.signal });
  late.catch(() => undefined);
  try {
    const claim = await Promise.race([claiming, late]);
    if (claim !== 'late') return claim;
  } finally {
    timer.abort();
  }
  claiming
    .then((claim) => (claim.state === 'claimed' ? store.release({ ...use, holder: claim.holder }) : undefined))
    .catch(() => undefined);
  throw inProgress();
}

const reused = (): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for another request within 24 hours; a new request needs a new key.',
  );

const inProgress = (): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request with this Idempotency-Key is still running; try again.',
    {
      headers: { 'Retry-After': '1' },
    },
  );
