import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Fault, invalidInput, rateLimited, unauthenticated } from '../errors.ts';
import { MAX_LENGTHS, type NewSession, type SignIn, usernameKey } from '../model/session.ts';
import type { StoredUser } from '../store/access/users.ts';
import type { Stores } from '../store/stores.ts';
import { CredentialCache, hashSecret, type Known } from './credential-cache.ts';
import { refuseForeignPage } from './csrf.ts';
import { isPassword } from './passwords.ts';
import type { ProxyAwareRequest } from './proxy-aware-request.ts';
import { scopesOf, type Viewer, type ViewerSession } from './viewer.ts';

export interface SessionsParts {
  readonly stores: Pick<Stores, 'sessions' | 'users' | 'signInFailures'>;
  readonly client: ProxyAwareRequest;
  /** Whether demo users may sign in; never in production. */
  readonly demo: boolean;
  readonly ttlSeconds: number;
  readonly now: () => Date;
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
  async begin(signIn: SignIn, request: IncomingMessage): Promise<NewSession> {
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
    await stores.sessions.insert({
      _id: hashSecret(token),
      user: user._id,
      password_id: user.password_id,
      created_at: begun,
      expires_at: expiresAt,
    });
    return { username: user.username, expiresAt, token };
  }

  /** Ends a session: immediately in this process, within seconds in the others. */
  async end({ id }: ViewerSession): Promise<void> {
    await this.#parts.stores.sessions.erase(id);
    this.ring.forget(id);
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
