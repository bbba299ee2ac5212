/** A REST endpoint, as metrics and traces identify it. */
export interface MeasuredEndpoint {
  readonly id: string;
  /** Its path, with parameters in braces. */
  readonly path: string;
}

/** OpenTelemetry's conventional placeholder for arbitrary values from clients. */
export const OTHER = '_OTHER';

/** The HTTP methods known to OpenTelemetry's conventions. */
export const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'CONNECT',
  'TRACE',
]);

/** The route of GraphQL, which is not a REST endpoint. */
export const GRAPHQL = '/graphql';
