import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { SignatureKind, SigningSecret } from '../model/webhooks/webhook.ts';

const SECRET_BYTES = 32;
/** The PKCS #8 prefix of a 32-byte Ed25519 private key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const RAW_KEY_BYTES = 32;

/** A new secret: random bytes for v1, a key pair for v1a. */
export function newSecret(kind: SignatureKind): SigningSecret {
  if (kind === 'v1') {
    const value = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    return { value, shown: value };
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8.length);
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_KEY_BYTES);
  // In the specification, the private key is the seed followed by the public key.
  const value = `whsk_${Buffer.concat([seed, point]).toString('base64')}`;
  return { value, shown: `whpk_${point.toString('base64')}` };
}

/** Whether messages are signed with the secret at that time. */
export const isInUse = ({ until }: SigningSecret, at: Date): boolean => until === undefined || until > at;

/** The content that is signed. */
interface SignedMessage {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

/** The header `webhook-signature`: one signature per secret in use, so that a receiver may hold either the old or the new one. */
export function signaturesOf(secrets: readonly SigningSecret[], message: SignedMessage): string {
  return secrets
    .filter((secret) => isInUse(secret, message.at))
    .map(({ value }) => signatureOf(value, message))
    .join(' ');
}

function signatureOf(secret: string, { id, at, body }: SignedMessage): string {
  if (secret.startsWith('whsec_')) return new Webhook(secret).sign(id, at, body);
  const key = Buffer.from(secret.slice('whsk_'.length), 'base64').subarray(0, RAW_KEY_BYTES);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, key]), format: 'der', type: 'pkcs8' });
  const text = `${id}.${Math.floor(at.getTime() / 1_000)}.${body}`;
  return `v1a,${sign(null, Buffer.from(text), privateKey).toString('base64')}`;
}
