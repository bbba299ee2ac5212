import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { v5 as nameBasedId } from 'uuid';
import { ServiceError, unauthenticated } from '../errors.ts';
import { isUuid } from '../model/uuid.ts';
import { CredentialCache, type Known } from './credential-cache.ts';
import { scopesOf } from './viewer.ts';

/** The accepted issuer and audience of JSON Web Tokens. */
interface TokenIssuer {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Asymmetric signatures only: with a shared secret, the published key would be the secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The minimum interval in milliseconds between reads of the key set for unknown keys; it is also reread after ten minutes. */
const COOLDOWN_MS = 1_000;
const KEPT_MS = 10 * 60_000;
const TIMEOUT_MS = 3_000;

/**
 * JSON Web Tokens of one issuer (contract §2): signature, issuer, audience and expiry are checked, and the claims
 * `tenant` and `scope` read. UNAVAILABLE if the issuer's keys cannot be fetched.
 */
export function jwtVerifier({ jwksUrl, issuer, audience }: TokenIssuer, now: () => Date): CredentialCache {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: KEPT_MS,
  });
  return new CredentialCache(async (_, token) => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      currentDate: now(),
    }).catch(refuse);
    if (!isAccessToken(protectedHeader.typ)) throw refused('its header "typ" must be at+jwt or JWT, or be left out');
    return knownBy(payload, issuer);
  }, now);
}

/**
 * Whether the type in a token's header is that of an access token (RFC 9068), or is missing: tokens of other types, such as
 * logout+jwt, are signed by the same keys for the same audience.
 */
const isAccessToken = (typ: string | undefined): boolean =>
  typ === undefined || /^(?:application\/)?(?:at\+)?jwt$/i.test(typ);

const LONGEST_NAME = 200;

/** The principal of a token: its id is `sub` if that is a UUID, otherwise derived from it. */
function knownBy({ sub = '', exp = 0, tenant, scope, name }: JWTPayload, issuer: string): Known {
  if (typeof tenant !== 'string' || !isUuid(tenant)) throw refused('its claim "tenant" must be a UUID');
  if (typeof sub !== 'string') throw refused('its claim "sub" must be a text');
  const words = Array.isArray(scope) ? scope.map(String) : String(scope ?? '').split(' ');
  const id = isUuid(sub) ? sub.toLowerCase() : nameBasedId(sub, nameBasedId(issuer, nameBasedId.URL));
  const shown = typeof name === 'string' && name !== '' ? name : sub;
  const viewer = { id, tenant: tenant.toLowerCase(), name: shown.slice(0, LONGEST_NAME), scopes: scopesOf(words) };
  return { viewer: Object.freeze(viewer), expiresAt: exp * 1000 };
}

/** The jose errors that concern the token; any other means that the keys could not be fetched. */
const TOKEN_ERRORS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWKS_NO_MATCHING_KEY: 'it is signed by a key that its issuer does not have',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not say which of the keys of its issuer it is signed by',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
  ERR_JOSE_ALG_NOT_ALLOWED: `it must be signed by one of ${ALGORITHMS.join(', ')}`,
  ERR_JOSE_NOT_SUPPORTED: 'it is signed or written in a way that is not taken',
  ERR_JWS_INVALID: 'it is not a JSON Web Token',
  ERR_JWT_INVALID: 'it is not a JSON Web Token',
};

function refuse(error: unknown): never {
  if (error instanceof errors.JWTClaimValidationFailed) throw refused(`its claim "${error.claim}" is missing or wrong`);
  const reason = error instanceof errors.JOSEError ? TOKEN_ERRORS[error.code] : undefined;
  if (reason !== undefined) throw refused(reason);
  throw new ServiceError('UNAVAILABLE', 'The keys for verifying JSON Web Tokens cannot be loaded; try again.', {
    headers: { 'Retry-After': '5' },
    cause: error,
  });
}

const refused = (why: string): ServiceError => unauthenticated(`The token is refused: ${why}.`);
