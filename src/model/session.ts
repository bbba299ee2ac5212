/** The session cookie (interface, "sessionAuth"). */
export const SESSION_COOKIE = 'session';

/** Browsers accept a cookie with this prefix only over https, for this host alone and every path. */
export const HOST_PREFIX = '__Host-';

/** The name of the session cookie in an environment: in production, only our own host can set it. */
export const sessionCookieIn = (environment: 'demo' | 'production'): string =>
  environment === 'production' ? HOST_PREFIX + SESSION_COOKIE : SESSION_COOKIE;

/** The credentials of a sign-in. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
}

/** The maximum lengths, in characters. */
export const MAX_LENGTHS = { username: 200, password: 1_000 } as const;

/** The minimum length of a new password, in characters. */
export const SHORTEST_PASSWORD = 12;

/** A new password, with the current one. */
export interface NewPassword {
  readonly current: string;
  readonly next: string;
}

/** The comparison key of a username: case-insensitive. */
export const usernameKey = (username: string): string => username.normalize('NFKC').toLowerCase();

/** A session as its user sees it. */
export interface Session {
  readonly username: string;
  readonly expiresAt: Date;
}

/** A new session with its secret, which is shown once. */
export interface NewSession extends Session {
  readonly token: string;
}

/** One of a user's active sessions, as that user sees it. */
export interface OwnSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  /** The network address it was started from. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Whether it is the session of this request. */
  readonly isCurrent: boolean;
}
