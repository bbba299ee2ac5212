/** What a credential may do: read data, write data, administer the tenant's own keys and users. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who a request is made by (contract: principal). `tenant` owns organizations and decides what is visible. */
export interface Viewer {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}
