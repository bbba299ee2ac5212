import { ServiceError } from '../../errors.ts';
import type { SigningSecret } from '../../model/webhooks/webhook.ts';
import { isInUse } from '../../webhooks/signatures.ts';

/** How long both secrets are used after a rotation. */
const ROTATION_MS = 24 * 3_600_000;
/** The most rotations within that time: each of them adds a signature to every message. */
const MAX_ROTATIONS = 5;

/** The secrets that stay in use when a new one is put before them. CONFLICT with Retry-After if that would be too many. */
export function retiredSecrets(secrets: readonly SigningSecret[], now: Date): SigningSecret[] {
  const until = new Date(now.getTime() + ROTATION_MS);
  const retired = secrets.map((one) => ({ ...one, until: one.until ?? until })).filter((one) => isInUse(one, now));
  if (retired.length <= MAX_ROTATIONS) return retired;
  const next = new Date(Math.min(...retired.map((one) => one.until.getTime())));
  const seconds = Math.ceil((next.getTime() - now.getTime()) / 1_000);
  throw new ServiceError(
    'CONFLICT',
    `The secret was rotated ${MAX_ROTATIONS} times within 24 hours, for which the old secrets stay in use: the next rotation is possible at ${next.toISOString()}.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
