import type { ErrorCode } from '../../src/errors.ts';
import type { Family } from './family.ts';
import type { Reply } from './reply.ts';
import type { Sources } from './source.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One REST endpoint, declared once: serve/ answers it, openapi/ describes it. */
export interface Declaration {
  /** `family.noun.verb`; stable, for logs, docs and OpenAPI. */
  readonly id: string;
  /** Method and path below the family's base, with parameters in braces: `GET /workspaces/{workspace_id}`. */
  readonly route: `${Method} /${string}`;
  /** One or two sentences for the user; the first is the title in OpenAPI. */
  readonly summary: string;
  /** The GraphQL operation that does the work, exactly as a user could send it. */
  readonly operation: string;
  /** Where each variable of the operation comes from. */
  readonly variables: Sources;
  readonly reply: Reply;
  /** The errors of the operation itself; those that every endpoint can have are not repeated here. */
  readonly errors: readonly ErrorCode[];
  /** Needs no credential, and looks at no version header. */
  readonly open?: boolean;
  /** The scope that the credential must have, where it is not `write` for a mutation and `read` for a query. */
  readonly scope?: 'none';
}

/** A declaration with its family and its route taken apart; still plain data. */
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

/** Whether an endpoint takes an Idempotency-Key (contract §4); without a credential there is nobody whose key it is. */
export const takesKey = ({ method, open }: Endpoint): boolean => !open && (method === 'POST' || method === 'PUT');
