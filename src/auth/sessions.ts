import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import { v5 as nameBasedId, v7 as newId } from 'uuid';
import {
  hasErrorCode,
  httpsRequired,
  invalidInput,
  notFound,
  ServiceError,
  shortened,
  throwIfInvalid,
  unauthenticated,
  type Violation,
} from '../errors.ts';
import type { AuditAction, AuditEntry, RequestOrigin } from '../model/audit.ts';
import { MAX_LENGTHS, type NewPassword, type NewSession, type OwnSession, type SignIn } from '../model/session.ts';
import type { StoredSession } from '../store/access/sessions.ts';
import type { StoredUser } from '../store/access/users.ts';
import type { Stores } from '../store/stores.ts';
import type { Transaction } from '../store/transactions/transaction.ts';
import { CredentialCache, hashSecret, type Known } from './credential-cache.ts';
import { refuseForeignPage } from './csrf.ts';
import { PasswordCheck } from './password-check.ts';
import { passwordViolation } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import type { ProxyAwareRequest } from './proxy-aware-request.ts';
import { scopesOf, type Viewer, type ViewerSession } from './viewer.ts';

interface SessionsParts {
  readonly stores: Pick<Stores, 'sessions' | 'users' | 'signInFailures' | 'audit' | 'transaction'>;
  readonly client: ProxyAwareRequest;
  /** The name of the session cookie. */
  readonly cookie: string;
  /** Whether demo users may sign in, and passwords may be sent over plain http; never in production. */
  readonly demo: boolean;
  readonly ttlSeconds: number;
  /** The idle timeout of a session; 0 for none. */
  readonly idleSeconds: number;
  readonly now: () => Date;
}

/** The request that begins or ends a session. */
export interface AskedSession {
  readonly request: IncomingMessage;
  readonly origin: RequestOrigin;
}

/**
 * The sessions of users, stored in MongoDB by the hash of a 256-bit token. Everything that a request can do to a session
 * or a password happens here: signing in and out, ending other sessions, changing the password.
 */
export class Sessions {
  readonly ring: CredentialCache;
  readonly #parts: SessionsParts;
  readonly #passwords: PasswordCheck;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#passwords = new PasswordCheck({ ...parts, isWelcome: (user) => this.#mayBegin(user) });
    this.ring = new CredentialCache((hashed) => this.#lookUp(hashed), parts.now);
  }

  /**
   * Starts a session, and ends the one the request came with and the user's oldest if there are too many. Throws UNAUTHENTICATED unless name and password match,
   * RATE_LIMITED after too many failures.
   */
  async begin(signIn: SignIn, asked: AskedSession): Promise<NewSession> {
    try {
      return await this.#begin(signIn, asked);
    } catch (error) {
      await this.#recordFailure(signIn, asked, error);
      throw error;
    }
  }

  async #begin(signIn: SignIn, { request, origin }: AskedSession): Promise<NewSession> {
    const { stores, client, demo, ttlSeconds, now } = this.#parts;
    if (!demo && !client.isSecure(request)) throw httpsRequired();
    refuseForeignPage(request, client);
    refuseWrongLength({ username: signIn.username, password: signIn.password });
    const user = await this.#passwords.userOf({ ...signIn, networks: client.networksOf(request) });
    const token = randomBytes(32).toString('base64url');
    const begun = now();
    const expiresAt = new Date(begun.getTime() + ttlSeconds * 1000);
    const session = {
      _id: hashSecret(token),
      user: user._id,
      password_id: user.password_id,
      created_at: begun,
      used_at: begun,
      expires_at: expiresAt,
      address: client.addressOf(request) ?? null,
      agent: shortened(request.headers['user-agent'] ?? '', MAX_AGENT) || null,
    };
    const replaced = this.#sessionIn(request);
    const ended = await stores.transaction(async (tx) => {
      if (replaced !== undefined) await stores.sessions.erase(replaced, tx);
      await stores.sessions.insert(session, tx);
      await stores.audit.add([signInEntry(user, origin, { at: begun, outcome: 'success' })], tx);
      return stores.sessions.eraseOldest(user._id, tx);
    });
    if (replaced !== undefined) ended.push(replaced);
    for (const id of ended) this.ring.forget(id);
    return { username: user.username, expiresAt, token };
  }

  /** The session named by the request's cookie, active or not. */
  #sessionIn({ headers }: IncomingMessage): string | undefined {
    const token = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[this.#parts.cookie];
    return token ? hashSecret(token) : undefined;
  }

  /** Ends the session of a request: at once in this process, within seconds in the others. */
  async end({ id }: ViewerSession, viewer: Viewer, { origin }: AskedSession): Promise<void> {
    const { stores } = this.#parts;
    await stores.transaction(async (tx) => {
      await stores.sessions.erase(id, tx);
      await stores.audit.add([this.#entry('sign_out', viewer, origin)], tx);
    });
    this.ring.forget(id);
  }

  /** The active sessions of a user, newest first. */
  async listOf({ id, session }: Viewer): Promise<OwnSession[]> {
    return (await this.#runningOf(id)).map((stored) => shownTo(session, stored));
  }

  /** Ends one of a user's sessions and returns it as it was. */
  async endOne(viewer: Viewer, id: string, { origin }: AskedSession): Promise<OwnSession> {
    const { stores } = this.#parts;
    const stored = (await this.#runningOf(viewer.id)).find(({ _id }) => publicId(_id) === id.toLowerCase());
    if (stored === undefined) throw notFound('session', id);
    await stores.transaction(async (tx) => {
      await stores.sessions.erase(stored._id, tx);
      await stores.audit.add([this.#entry('user.sessions_ended', viewer, origin)], tx);
    });
    this.ring.forget(stored._id);
    return shownTo(viewer.session, stored);
  }

  /** Ends all sessions of a user but the calling one; returns how many. */
  async endOthers(viewer: Viewer, { origin }: AskedSession): Promise<number> {
    const { stores } = this.#parts;
    const running = await this.#runningOf(viewer.id);
    await this.#eraseOthers(viewer, (tx) => stores.audit.add([this.#entry('user.sessions_ended', viewer, origin)], tx));
    return running.filter(({ _id }) => _id !== viewer.session?.id).length;
  }

  /** Changes the user's password and ends all other sessions; the current password is checked as in a sign-in. */
  async changePassword(viewer: Viewer, { current, next }: NewPassword, asked: AskedSession): Promise<void> {
    const { stores, client } = this.#parts;
    const signIn = { username: viewer.name, password: current };
    refuseWrongLength({ current });
    const networks = client.networksOf(asked.request);
    const user = await this.#passwords.userOf({ ...signIn, networks }).catch(async (error: unknown) => {
      await this.#recordFailure(signIn, asked, error);
      const isWrong = hasErrorCode(error, 'UNAUTHENTICATED');
      throw isWrong ? unauthenticated('The current password is wrong.') : error;
    });
    const violation = next === current ? 'is the present one.' : await passwordViolation(next, viewer.name);
    if (violation !== undefined) throw invalidInput([{ parameter: 'new', message: violation }]);
    const password = await this.#passwords.queue
      .enter({ username: viewer.name, networks })
      .run(() => hashPassword(next));
    const changed = { password, password_id: newId() };
    await this.#eraseOthers(viewer, async (tx) => {
      if (!(await stores.users.replacePassword(user, changed, tx))) throw changedMeanwhile();
      if (viewer.session) await stores.sessions.adopt(viewer.session.id, changed.password_id, tx);
      await stores.audit.add([this.#entry('user.password_changed', viewer, asked.origin)], tx);
    });
  }

  /**
   * Logs a failed sign-in for the tenant of the user who was named. An unknown name belongs to no tenant and is not kept:
   * it may be a password typed into the wrong field.
   */
  async #recordFailure({ username }: SignIn, { origin }: AskedSession, error: unknown): Promise<void> {
    const { stores, now } = this.#parts;
    const code = error instanceof ServiceError ? error.code : undefined;
    if (code !== 'UNAUTHENTICATED' && code !== 'RATE_LIMITED') return;
    const user = await stores.users.findNamed(username);
    const at = now();
    if (code === 'UNAUTHENTICATED') await stores.audit.add([signInEntry(user, origin, { at, outcome: 'failure' })]);
    else stores.audit.note(signInEntry(user, origin, { at, outcome: 'denied' }), { onceInMs: SAME_DENIAL_MS });
  }

  /** The audit entry for a user's action on their sessions or password. */
  #entry(action: AuditAction, { tenant, id, name }: Viewer, origin: RequestOrigin): AuditEntry {
    const at = this.#parts.now();
    return { tenant, principal: { id, name }, ...origin, at, action, entity: id, outcome: 'success' };
  }

  async #lookUp(hashed: string): Promise<Known | undefined> {
    const { stores, idleSeconds, now } = this.#parts;
    const session = await stores.sessions.findOne(hashed);
    const user = session && (await stores.users.findOne(session.user));
    if (!user || !this.#mayBegin(user) || user.password_id !== session.password_id) return undefined;
    if (this.#isIdle(session)) {
      stores.sessions.eraseLater(hashed);
      return undefined;
    }
    if (idleSeconds > 0) stores.sessions.noteUse(hashed, now());
    const { _id: id, tenant, username, scopes } = user;
    const expiresAt = session.expires_at;
    const viewer: Viewer = Object.freeze({
      id,
      tenant,
      name: username,
      scopes: scopesOf(scopes),
      session: { id: hashed, username, expiresAt },
    });
    return { viewer, expiresAt: expiresAt.getTime(), believedMs: this.#believedMs };
  }

  /** While a session is cached, its use goes unnoticed; its idle timeout is extended by that time. */
  get #believedMs(): number {
    const { idleSeconds } = this.#parts;
    return idleSeconds === 0 ? LONGEST_BELIEVED_MS : Math.min(LONGEST_BELIEVED_MS, (idleSeconds * 1_000) / 4);
  }

  #isIdle({ used_at, created_at }: StoredSession): boolean {
    const { idleSeconds, now } = this.#parts;
    const unused = now().getTime() - (used_at ?? created_at).getTime();
    return idleSeconds > 0 && unused > idleSeconds * 1_000 + this.#believedMs;
  }

  /** Ends the user's other sessions in the same transaction as `write`. */
  async #eraseOthers({ id: user, session }: Viewer, write: (tx: Transaction) => Promise<void>): Promise<void> {
    const { stores, now } = this.#parts;
    const others = (await stores.sessions.listOf(user, now())).filter(({ _id }) => _id !== session?.id);
    await stores.transaction(async (tx) => {
      await write(tx);
      await stores.sessions.eraseOf(user, { tx, except: session?.id });
    });
    for (const { _id } of others) this.ring.forget(_id);
  }

  async #runningOf(user: string): Promise<StoredSession[]> {
    const { stores, now } = this.#parts;
    const [stored, known] = await Promise.all([stores.sessions.listOf(user, now()), stores.users.findOne(user)]);
    return stored.filter((session) => session.password_id === known?.password_id && !this.#isIdle(session));
  }

  #mayBegin({ disabled_at, demo }: StoredUser): boolean {
    return disabled_at === undefined && (!demo || this.#parts.demo);
  }
}

/** The stored length of a User-Agent, in characters. */
const MAX_AGENT = 200;
const LONGEST_BELIEVED_MS = 4_000;

/** The session id shown to its user: the stored id is derived from the token. */
const publicId = (hashed: string): string => nameBasedId(hashed, SESSIONS);
const SESSIONS = 'b1f7a3ce-6a52-4a52-9f0e-2f7f4f1f8a11';

const shownTo = (current: ViewerSession | undefined, stored: StoredSession): OwnSession => ({
  id: publicId(stored._id),
  createdAt: stored.created_at,
  lastUsedAt: stored.used_at ?? stored.created_at,
  expiresAt: stored.expires_at,
  address: stored.address ?? null,
  userAgent: stored.agent ?? null,
  isCurrent: stored._id === current?.id,
});

const changedMeanwhile = (): ServiceError =>
  new ServiceError('CONFLICT', 'The password was changed by someone else meanwhile; sign in again.');

/** How long further blocked attempts share one line of the audit log. */
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

/** The maximum length of each argument, in characters. */
const LONGEST = { ...MAX_LENGTHS, current: MAX_LENGTHS.password };

function refuseWrongLength(given: { readonly [argument in keyof typeof LONGEST]?: string }): void {
  const violations = Object.entries(given).flatMap(([parameter, { length }]): Violation[] => {
    const most = LONGEST[parameter as keyof typeof LONGEST];
    if (length > 0 && length <= most) return [];
    return [{ parameter, message: `must have 1 to ${most} characters; this one has ${length}.` }];
  });
  throwIfInvalid(violations);
}
