import { v7 as newId } from 'uuid';
import { hashSecret } from '../../../src/auth/credential-cache.ts';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import type { Answer, TestService } from '../../service.ts';

/** An audit log entry, as GraphQL shows it. */
interface Line {
  readonly at: string;
  readonly action: string;
  readonly principal: { readonly id: string | null; readonly name: string } | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly operation: string | null;
  readonly entity: string | null;
  readonly outcome: string;
}

const LOG = `query Log($first: Int, $after: String, $from: DateTime, $to: DateTime, $action: String, $entity: UUID) {
  auditLog(first: $first, after: $after, from: $from, to: $to, action: $action, entity: $entity) {
    nodes { at action principal { id name } address requestId operation entity outcome }
    edges { cursor }
    pageInfo { hasNextPage hasPreviousPage endCursor }
    totalCount
  }
}`;

/** Makes a key with the scope admin for a demo tenant, to read that tenant's log. */
export async function administrator(service: TestService, tenant: keyof typeof DEMO_TENANTS): Promise<Administrator> {
  const key = `test-admin-${newId()}`;
  await service.stores.principals.putKey({
    _id: newId(),
    kind: 'key',
    hash: hashSecret(key),
    tenant: DEMO_TENANTS[tenant],
    name: `Administrator of the ${tenant}`,
    scopes: ['admin', 'read'],
    created_at: new Date(),
  });
  return new Administrator(service, key);
}

/** Reads the audit log of a tenant. */
export class Administrator {
  readonly #service: TestService;
  readonly #key: string;

  constructor(service: TestService, key: string) {
    this.#service = service;
    this.#key = key;
  }

  ask(variables: object = {}, query = LOG): Promise<Answer> {
    const headers = { Authorization: `Bearer ${this.#key}` };
    return this.#service.ask('POST', '/graphql', { headers, body: { query, variables } });
  }

  async log(variables: object = {}): Promise<readonly Line[]> {
    const { body } = await this.ask(variables);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data.auditLog.nodes;
  }
}
