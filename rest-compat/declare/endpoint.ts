import type { ErrorCode } from '../../src/errors.ts';
import type { Family } from './family.ts';
import type { Reply } from './reply.ts';
import type { Sources } from './source.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One REST endpoint: serve/ serves this declaration, openapi/ documents it. */
export interface Declaration {
  /** `family.noun.verb`; stable, for logs, docs and OpenAPI. */
  readonly id: string;
  /** Method and path below the family's base, with parameters in braces: `GET /workspaces/{workspace_id}`. */
  readonly route: `${Method} /${string}`;
  /** One or two sentences for clients; the first is the summary in OpenAPI. */
  readonly summary: string;
  /** The GraphQL operation that does the work, exactly as a client could send it. */
  readonly operation: string;
  /** Where each variable of the operation comes from. */
  readonly variables: Sources;
  readonly reply: Reply;
  /** The errors specific to the operation, without those common to all endpoints. */
  readonly errors: readonly ErrorCode[];
  /** Requires no credential, and ignores the version header. */
  readonly open?: boolean;
  /** The maximum size of its body in bytes, if less than the service's. */
  readonly maxBodyBytes?: number;
  /** Its response contains a secret, and is stored under an Idempotency-Key only in encrypted form. */
  readonly showsSecret?: boolean;
  /** The required scope; by default `write` for a mutation and `read` for a query. */
  readonly scope?: 'none' | 'admin';
}

/** A declaration with its family and parsed route; plain data. */
export interface Endpoint extends Declaration {
  readonly family: Family;
  readonly method: Method;
  /** The whole path with parameters in braces. */
  readonly path: string;
  /** The names of the path's parameters, in order. */
  readonly parameters: readonly string[];
}

/** One row of the table. */
export function endpoint(family: Family, declaration: Declaration): Endpoint {
  const gap = declaration.route.indexOf(' ');
  const path = family.base + declaration.route.slice(gap + 1);
  return {
    ...declaration,
    family,
    method: declaration.route.slice(0, gap) as Method,
    path,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
  };
}

/** Whether an endpoint answers with a list, whose reads have a time limit (contract §12). */
export const isListed = ({ reply }: Endpoint): boolean => reply.kind === 'list' || reply.kind === 'search';

/** The scope that an endpoint requires, given whether its operation is a mutation; `none` if any credential will do. */
export const scopeOf = ({ scope }: Endpoint, changes: boolean): 'read' | 'write' | 'admin' | 'none' =>
  scope ?? (changes ? 'write' : 'read');

/** Whether an endpoint takes an Idempotency-Key (contract §4); keys belong to a caller, so it needs a credential. */
export const takesKey = ({ method, open }: Endpoint): boolean => !open && (method === 'POST' || method === 'PUT');
