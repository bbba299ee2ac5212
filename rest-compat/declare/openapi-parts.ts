import type { OpenAPIV3_1 } from 'openapi-types';
import type { JsonSchema } from './json-schema.ts';

/** A parameter of an endpoint; its schema may contain this service's own markers. */
export type Parameter = Readonly<Omit<OpenAPIV3_1.ParameterObject, 'in' | 'schema' | 'content'>> & {
  readonly in: 'path' | 'query' | 'header';
} & ({ readonly schema: JsonSchema } | { readonly content: Content });

/** A header of a response. */
export type Header = Readonly<Omit<OpenAPIV3_1.HeaderObject, 'schema'>> & { readonly schema: JsonSchema };

/** Headers by name, or references to them. */
export type Headers = Readonly<Record<string, Header | OpenAPIV3_1.ReferenceObject>>;

/** Schemas and examples by media type. */
export type Content = Readonly<
  Record<
    string,
    {
      readonly schema: JsonSchema;
      readonly examples?: Readonly<Record<string, OpenAPIV3_1.ExampleObject | OpenAPIV3_1.ReferenceObject>>;
    }
  >
>;

export type RequestBody = Readonly<Omit<OpenAPIV3_1.RequestBodyObject, 'content'>> & { readonly content: Content };

/** A response with a status. */
export type Answer = Readonly<Omit<OpenAPIV3_1.ResponseObject, 'headers' | 'content'>> & {
  readonly headers?: Headers;
  readonly content?: Content;
};

/** Responses by status. */
export type Answers = Readonly<Record<string, Answer>>;
