import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from '../../src/errors.ts';
import type { Query } from '../../src/http/query-string.ts';
import type { Family } from '../declare/family.ts';
import type { JsonSchema } from '../declare/json-schema.ts';

/** What a request offers to the sources of its endpoint. */
export interface BindingInput {
  /** The path's parameters by position: p0, p1, and so on. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly headers: IncomingHttpHeaders;
  readonly query: Query;
  readonly body: unknown;
  /** The multipart form, where the endpoint takes one. */
  readonly form:
    | { readonly fields: Readonly<Record<string, unknown>>; readonly file: { readonly id: string } }
    | undefined;
}

export type Variables = Record<string, unknown>;

/** The result of binding: the variables of the operation, every fault, and what the reply must know of the request. */
export class Binding {
  readonly variables: Variables = {};
  readonly faults: Fault[] = [];
  /** How many items the client asked for, or the family's default; undefined means all. */
  limit: number | undefined = undefined;
  /** How many items precede the page of a search that the client asked for. */
  pageStart = 0;
  /** JSON Pointer of the member that holds the entity's body: '' or `/body`. */
  bodyPrefix = '';
  /** The query parameter behind each filter field. */
  parameterOfField: Map<string, string> | undefined = undefined;
  /** A value of the path that cannot exist: what it names, and its text. */
  unknownId: readonly [what: string, id: string] | undefined = undefined;
}

/** Reads one variable from the request into the binding. */
export type Bind = (request: BindingInput, binding: Binding) => void;

/**
 * When a source is bound: `query` before the body is read, `path` before a file is taken in, `body` when the whole
 * request is there.
 */
export type Binds = { readonly [Phase in 'query' | 'path' | 'body']?: Bind };

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

/** What the description of a source in OpenAPI is made of. */
export interface DescriptionContext {
  readonly required: boolean;
  /** The JSON Schema of the variable's type. */
  readonly schema: JsonSchema;
  readonly family: Family;
  /** The schema of all filters that the list takes. */
  readonly filters: JsonSchema;
}

/** A part of the request body, for OpenAPI: the whole body, or some of its members. */
export interface BodyPart {
  readonly mediaTypes: readonly string[];
  readonly whole?: JsonSchema;
  readonly members?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** Where the client finds the argument in its request. */
export type ArgumentPlace = { readonly parameter: string } | { readonly path: string };

/** Everything that the REST layer does with one kind of source: it is bound, and it is described. */
export interface SourceKind<S> {
  /** Throws an Error where the source does not fit the endpoint. */
  bind(source: S, context: SourceContext): Binds;
  /** The parameters of the request that it reads, as OpenAPI describes them; absent: none. */
  parameters?(source: S, context: DescriptionContext): readonly JsonSchema[];
  /** What it reads of the request body, as OpenAPI describes it; absent: nothing. */
  bodyPart?(source: S, context: DescriptionContext): BodyPart;
  /** The query parameters that it reads by name. */
  parameterNames?(source: S): readonly string[];
  /** Where faults of the operation that name this variable are to point; absent: nowhere in particular. */
  place?(source: S): ArgumentPlace | undefined;
}

/** Sets a variable unless the request has no value for it: an absent one is left out, and never null. */
export function setVariable({ variables }: Binding, variable: string, value: unknown): void {
  if (value !== undefined) variables[variable] = value;
}

/** A parameter of the query string, for OpenAPI. */
export const queryParameter = (name: string, schema: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  name,
  in: 'query',
  ...more,
  schema,
});

/** The description where there is one. */
export const described = (description: string | undefined): JsonSchema =>
  description === undefined ? {} : { description };

/** A whole number of the query string; null counts as absent (contract §11). */
export const WHOLE_NUMBER: JsonSchema = { type: ['integer', 'null'], maximum: 2147483647 };
