/** The cookie that a session is presented by (interface, "sessionAuth"). */
export const SESSION_COOKIE = 'session';

/** Browsers keep a cookie of such a name only if https set it, for this host alone and every path. */
export const HOST_PREFIX = '__Host-';

/** The name of that cookie in an environment: in production it can come from our own host alone. */
export const sessionCookieIn = (environment: 'demo' | 'production'): string =>
  environment === 'production' ? HOST_PREFIX + SESSION_COOKIE : SESSION_COOKIE;

/** What a user signs in with. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
}

/** The longest of each, in characters. */
export const MAX_LENGTHS = { username: 200, password: 1_000 } as const;

/** The fewest characters of a new password. */
export const SHORTEST_PASSWORD = 12;

/** A password that takes the place of the present one. */
export interface NewPassword {
  readonly current: string;
  readonly next: string;
}

/** The form in which usernames are compared: without letter case. */
export const usernameKey = (username: string): string => username.normalize('NFKC').toLowerCase();

/** A session as its user sees it. */
export interface Session {
  readonly username: string;
  readonly expiresAt: Date;
}

/** A session that was just begun, with the secret that it is used by; shown once. */
export interface NewSession extends Session {
  readonly token: string;
}

/** One of a user's running sessions, as that user sees it. */
export interface OwnSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  /** Where it was begun. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Whether it is the session of the request. */
  readonly isCurrent: boolean;
}
