import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** A message as the receiver gets it. */
interface ReceivedMessage {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const TOLERANCE_MS = 5 * 60_000;

/**
 * What is wrong with the signature of a message, for a receiver that holds `whsec_…` or `whpk_…`; undefined if one of
 * its signatures is the sender's and its timestamp is recent.
 */
export function faultOfSignature(
  shown: string,
  { headers, body }: ReceivedMessage,
  now = new Date(),
): string | undefined {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    return 'the headers webhook-id, webhook-timestamp and webhook-signature are not all there';
  }
  const at = new Date(Number(timestamp) * 1_000);
  if (!(Math.abs(now.getTime() - at.getTime()) <= TOLERANCE_MS))
    return 'webhook-timestamp is more than five minutes off';
  const isGood = shown.startsWith('whpk_')
    ? signatures.split(' ').some((one) => isSignedBy(shown, one, `${id}.${timestamp}.${body}`))
    : signatures.split(' ').includes(new Webhook(shown).sign(id, at, body));
  return isGood ? undefined : 'no signature fits';
}

function isSignedBy(publicKey: string, signature: string, text: string): boolean {
  if (!signature.startsWith('v1a,')) return false;
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
}
