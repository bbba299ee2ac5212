import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceError, Violation } from '../../src/errors.ts';
import type { Query } from '../../src/http/query-string.ts';
import type { Family } from '../declare/family.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import type { Parameter } from '../declare/openapi-parts.ts';

/** The parts of a request that sources can read. */
export interface BindingInput {
  /** The path's parameters by position: p0, p1, and so on. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly headers: IncomingHttpHeaders;
  readonly query: Query;
  readonly body: unknown;
  /** The multipart form, if the endpoint takes one. */
  readonly form:
    | { readonly fields: Readonly<Record<string, unknown>>; readonly file: { readonly id: string } }
    | undefined;
}

export type Variables = Record<string, unknown>;

/** The result of binding: the operation's variables, all violations, and the request data that the reply needs. */
export class Binding {
  readonly variables: Variables = {};
  readonly violations: Violation[] = [];
  /** The requested number of items, or the family's default; undefined for all. */
  limit: number | undefined = undefined;
  /** The number of items before the requested page of a search. */
  pageStart = 0;
  /** JSON Pointer of the member with the entity's body: '' or `/body`. */
  bodyPrefix = '';
  /** The query parameter behind each filter field. */
  parameterOfField: Map<string, string> | undefined = undefined;
  /** The text of PRECONDITION_FAILED, if no existing entity can meet the condition. */
  unmet: string | undefined = undefined;
  /** The error for a path parameter that cannot exist. */
  unknown: ServiceError | undefined = undefined;
}

/** Reads one variable from the request into the binding. */
export type Bind = (request: BindingInput, binding: Binding) => void;

/**
 * When a source is bound: `query` before the body is read, `path` before a file is received, `body` once the whole
 * request has been received.
 */
type Binds = { readonly [Phase in 'query' | 'path' | 'body']?: Bind };

/** The variable that a source fills, and the endpoint around it. */
export interface SourceContext {
  readonly variable: string;
  /** The GraphQL type of the variable, without the final `!`. */
  readonly type: string;
  readonly required: boolean;
  /** The names of the path's parameters, in order. */
  readonly pathParameters: readonly string[];
  readonly family: Family;
  /** Every query parameter that the endpoint takes by name. */
  readonly namedParameters: ReadonlySet<string>;
}

/** The data that documenting a source in OpenAPI needs. */
export interface DescriptionContext {
  readonly required: boolean;
  /** The JSON Schema of the variable's type. */
  readonly schema: JsonSchema;
  /** The same without a reference, so that members can be added to it. */
  ownSchema(): JsonSchema;
  readonly family: Family;
  /** The schema of all filters that the list takes, or a reference to it. */
  filters(as?: 'reference'): JsonSchema;
}

/** A part of the request body, for OpenAPI: the whole body, or some of its members. */
export interface BodyPart {
  readonly mediaTypes: readonly string[];
  readonly whole?: JsonSchema;
  readonly members?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** The allowed names of the body's members, if others are refused. */
  readonly propertyNames?: JsonSchema;
}

/** The location of an argument in the request. */
export type ArgumentPlace = { readonly parameter: string } | { readonly path: string };

/** One kind of source: how it is bound, and how it is documented. */
export interface SourceKind<S> {
  /** Throws an Error if the source does not fit the endpoint. */
  bind(source: S, context: SourceContext): Binds;
  /** The parameters that it reads, for OpenAPI; absent if none. */
  parameters?(source: S, context: DescriptionContext): readonly Parameter[];
  /** The part of the request body that it reads, for OpenAPI; absent if none. */
  bodyPart?(source: S, context: DescriptionContext): BodyPart;
  /** The query parameters that it reads by name. */
  parameterNames?(source: S): readonly string[];
  /** The location for violations of the operation that name this variable; absent if unknown. */
  place?(source: S): ArgumentPlace | undefined;
}

/** Sets a variable if the request has a value for it; absent values leave it unset, never null. */
export function setVariable({ variables }: Binding, variable: string, value: unknown): void {
  if (value !== undefined) variables[variable] = value;
}

/** A parameter of the query string, for OpenAPI. */
export const queryParameter = (
  name: string,
  schema: JsonSchema,
  more: Partial<Omit<Parameter, 'name' | 'in' | 'schema'>> = {},
): Parameter => ({
  name,
  in: 'query',
  ...more,
  schema,
});

/** The description, if there is one. */
export const described = (description: string | undefined): { readonly description?: string } =>
  description === undefined ? {} : { description };

/** An integer in the query string. */
export const WHOLE_NUMBER: JsonSchema = { type: 'integer', maximum: 2147483647 };
