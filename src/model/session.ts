/** The cookie that a session is presented by (interface, "sessionAuth"). */
export const SESSION_COOKIE = 'session';

/** What a user signs in with. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
}

/** The longest of each, in characters. */
export const MAX_LENGTHS = { username: 200, password: 1_000 } as const;

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
