/** What a credential may do: read data, write data, administer the tenant's own keys and users. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The principal of a request; `tenant` owns organizations and decides what is visible. */
export interface Viewer {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The session of the request, if it is authenticated by the cookie. */
  readonly session?: ViewerSession;
}

/** An active session. */
export interface ViewerSession {
  /** The hash of its token. */
  readonly id: string;
  readonly username: string;
  readonly expiresAt: Date;
}

/** The valid scopes among some words. */
export const scopesOf = (words: readonly string[]): ReadonlySet<Scope> =>
  new Set(SCOPES.filter((scope) => words.includes(scope)));
