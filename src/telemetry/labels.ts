/** What metrics and traces know of a REST endpoint. */
export interface MeasuredEndpoint {
  readonly id: string;
  /** Its path, with parameters in braces. */
  readonly path: string;
}

/** What OpenTelemetry's conventions put in the place of what clients invent. */
export const OTHER = '_OTHER';

/** The HTTP methods that have a name of their own there. */
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

/** The route of GraphQL, which is no endpoint of REST. */
export const GRAPHQL = '/graphql';
