/** A JSON Schema (2020-12), or another object of an OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;
