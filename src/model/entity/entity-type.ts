import type { Schema } from '../fields/schema-parts.ts';
import type { GraphqlNames } from './graphql-names.ts';

/** One type of entity: its type name on the wire and the JSON Schema of its body. */
export interface EntityType<Noun extends string = string> {
  readonly name: string;
  /** Other accepted type names, which responses replace with `name`. */
  readonly aliases: readonly string[];
  /** The noun used in texts: "job", "quality result". */
  readonly noun: Noun;
  readonly schema: Schema;
  /** Fields that are required in v2 but not in legacy writes, as dotted paths. */
  readonly required: readonly string[];
  readonly graphqlNames?: GraphqlNames;
}

/** A type of document, a body that lives in a workspace (interface, "Document"). */
export interface DocumentType<Noun extends string = string> extends EntityType<Noun> {
  /** The type that `parent` must have; undefined for any document. */
  readonly parentType?: string;
  /** Additional members of documents of this type from one API, validated only there; filters and sorts apply everywhere. */
  readonly extensionSchema?: Schema;
}

/** A type of document that reports on a job. */
export interface ResultType<Noun extends string = string> extends DocumentType<Noun> {
  readonly parentType: string;
  /** For texts: "a quality result", "the quality results". */
  readonly phrases: { readonly one: string; readonly all: string };
}
