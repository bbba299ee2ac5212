import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Answer } from '../../src/model/idempotency.ts';

const ALGORITHM = 'aes-256-gcm';
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = SALT_BYTES + IV_BYTES + TAG_BYTES;
const KEY_BYTES = 32;

/**
 * The stored form of an answer with a secret: its body is encrypted under the Idempotency-Key of its request. Only a hash of
 * the key is stored, so only the client that sent the key can get the answer again.
 */
export function seal(answer: Answer, idempotencyKey: string): Answer {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(idempotencyKey, salt), iv);
  const text = Buffer.concat([cipher.update(answer.body, 'utf8'), cipher.final()]);
  return { ...answer, body: Buffer.concat([salt, iv, cipher.getAuthTag(), text]).toString('base64'), sealed: true };
}

/** The answer as it was sent; throws if it was sealed under another key. */
export function unseal(answer: Answer, idempotencyKey: string): Answer {
  if (!answer.sealed) return answer;
  const bytes = Buffer.from(answer.body, 'base64');
  const salt = bytes.subarray(0, SALT_BYTES);
  const iv = bytes.subarray(SALT_BYTES, SALT_BYTES + IV_BYTES);
  const tag = bytes.subarray(SALT_BYTES + IV_BYTES, HEAD_BYTES);
  const text = bytes.subarray(HEAD_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyOf(idempotencyKey, salt), iv).setAuthTag(tag);
  return { ...answer, body: decipher.update(text, undefined, 'utf8') + decipher.final('utf8') };
}

const keyOf = (idempotencyKey: string, salt: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', idempotencyKey, salt, 'the answer to an Idempotency-Key', KEY_BYTES));
