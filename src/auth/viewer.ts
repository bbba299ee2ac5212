/** What a credential may do: read data, write data, administer the tenant's own keys and users. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who a request is made by (contract: principal). `tenant` owns organizations and decides what is visible. */
export interface Viewer {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The session that the request is made in, where it is authenticated by the cookie. */
  readonly session?: ViewerSession;
}

/** A session that is running. */
export interface ViewerSession {
  /** The hash of its token. */
  readonly id: string;
  readonly username: string;
  readonly expiresAt: Date;
}

/** The scopes among some words; others are left out. */
export const scopesOf = (words: readonly string[]): ReadonlySet<Scope> =>
  new Set(SCOPES.filter((scope) => words.includes(scope)));
