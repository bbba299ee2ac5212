import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Fault, invalidInput, rateLimited, ServiceError, unauthenticated } from '../errors.ts';
import type { AuditEntry, RequestOrigin } from '../model/audit.ts';
import { MAX_LENGTHS, type NewSession, type SignIn, usernameKey } from '../model/session.ts';
import type { StoredUser } from '../store/access/users.ts';
import type { Stores } from '../store/stores.ts';
import { CredentialCache, hashSecret, type Known } from './credential-cache.ts';
import { refuseForeignPage } from './csrf.ts';
import { isPassword } from './passwords.ts';
import type { ProxyAwareRequest } from './proxy-aware-request.ts';
import { scopesOf, type Viewer, type ViewerSession } from './viewer.ts';

export interface SessionsParts {
  readonly stores: Pick<Stores, 'sessions' | 'users' | 'signInFailures' | 'audit' | 'transaction'>;
  readonly client: ProxyAwareRequest;
  /** Whether demo users may sign in; never in production. */
  readonly demo: boolean;
  readonly ttlSeconds: number;
  readonly now: () => Date;
}

/** The request that a session is begun or ended by. */
export interface AskedSession {
  readonly request: IncomingMessage;
  readonly origin: RequestOrigin;
}

/** The sessions of users, stored in MongoDB by the hash of a 256-bit token. */
export class Sessions {
  readonly ring: CredentialCache;
  readonly #parts: SessionsParts;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.ring = new CredentialCache((hashed) => this.#lookUp(hashed), parts.now);
  }

  /** Starts a session; UNAUTHENTICATED unless name and password match, RATE_LIMITED after ten failures. */
  async begin(signIn: SignIn, asked: AskedSession): Promise<NewSession> {
    try {
      return await this.#begin(signIn, asked);
    } catch (error) {
      if (error instanceof ServiceError) await this.#recordFailure(signIn, asked, error);
      throw error;
    }
  }

  async #begin(signIn: SignIn, { request, origin }: AskedSession): Promise<NewSession> {
    const { stores, client, ttlSeconds, now } = this.#parts;
    refuseForeignPage(request, client);
    refuseWrongLength(signIn);
    const tried = [`name ${hashSecret(usernameKey(signIn.username))}`, `from ${hashSecret(client.networkOf(request))}`];
    refuseBlocked(await stores.signInFailures.blockedFor(tried, now()));
    const user = await stores.users.findNamed(signIn.username);
    const fits = await isPassword(signIn.password, user && this.#mayBegin(user) ? user.password : undefined);
    if (!fits || user === undefined) {
      refuseBlocked(await stores.signInFailures.add(tried, now()));
      throw unauthenticated('The username or the password is wrong.');
    }
    // Concurrent attempts may have exceeded the limit in the meantime.
    refuseBlocked(await stores.signInFailures.blockedFor(tried, now()));
    const token = randomBytes(32).toString('base64url');
    const begun = now();
    const expiresAt = new Date(begun.getTime() + ttlSeconds * 1000);
    await stores.transaction(async (tx) => {
      const session = {
        _id: hashSecret(token),
        user: user._id,
        password_id: user.password_id,
        created_at: begun,
        expires_at: expiresAt,
      };
      await stores.sessions.insert(session, tx);
      await stores.audit.add([signInEntry(user, origin, { at: begun, outcome: 'success' })], tx);
    });
    return { username: user.username, expiresAt, token };
  }

  /** Ends a session: immediately in this process, within seconds in the others. */
  async end({ id: session }: ViewerSession, { tenant, id, name }: Viewer, { origin }: AskedSession): Promise<void> {
    const { stores, now } = this.#parts;
    const principal = { id, name };
    const what = { at: now(), action: 'sign_out', entity: id, outcome: 'success' } as const;
    await stores.transaction(async (tx) => {
      await stores.sessions.erase(session, tx);
      await stores.audit.add([{ tenant, principal, ...origin, ...what }], tx);
    });
    this.ring.forget(session);
  }

  /**
   * A sign-in that failed is in the log of the tenant of the user who was named. A name that nobody has belongs to no
   * tenant, and is not kept: it may be a password that was typed in the wrong place.
   */
  async #recordFailure({ username }: SignIn, { origin }: AskedSession, { code }: ServiceError): Promise<void> {
    const { stores, now } = this.#parts;
    if (code !== 'UNAUTHENTICATED' && code !== 'RATE_LIMITED') return;
    const user = await stores.users.findNamed(username);
    const at = now();
    if (code === 'UNAUTHENTICATED') await stores.audit.add([signInEntry(user, origin, { at, outcome: 'failure' })]);
    else stores.audit.note(signInEntry(user, origin, { at, outcome: 'denied' }), { onceInMs: SAME_DENIAL_MS });
  }

  async #lookUp(hashed: string): Promise<Known | undefined> {
    const { sessions, users } = this.#parts.stores;
    const session = await sessions.findOne(hashed);
    const user = session && (await users.findOne(session.user));
    if (!user || !this.#mayBegin(user) || user.password_id !== session.password_id) return undefined;
    const { _id: id, tenant, username, scopes } = user;
    const expiresAt = session.expires_at;
    const viewer: Viewer = Object.freeze({
      id,
      tenant,
      name: username,
      scopes: scopesOf(scopes),
      session: { id: hashed, username, expiresAt },
    });
    return { viewer, expiresAt: expiresAt.getTime() };
  }

  #mayBegin({ disabled_at, demo }: StoredUser): boolean {
    return disabled_at === undefined && (!demo || this.#parts.demo);
  }
}

/** How long further attempts that are blocked are the same line of the audit log. */
const SAME_DENIAL_MS = 60_000;

function signInEntry(
  user: StoredUser | undefined,
  origin: RequestOrigin,
  what: Pick<AuditEntry, 'at' | 'outcome'>,
): AuditEntry {
  return {
    tenant: user?.tenant ?? null,
    principal: user ? { id: user._id, name: user.username } : null,
    ...origin,
    action: 'sign_in',
    entity: user?._id ?? null,
    ...what,
  };
}

function refuseWrongLength(signIn: SignIn): void {
  const faults = (['username', 'password'] as const).flatMap((parameter): Fault[] => {
    const { length } = signIn[parameter];
    if (length > 0 && length <= MAX_LENGTHS[parameter]) return [];
    return [{ parameter, message: `must have 1 to ${MAX_LENGTHS[parameter]} characters; this one has ${length}.` }];
  });
  if (faults.length > 0) throw invalidInput(faults);
}

function refuseBlocked(ms: number): void {
  if (ms > 0) throw rateLimited('Too many failed sign-ins with this name or from this address', ms);
}
