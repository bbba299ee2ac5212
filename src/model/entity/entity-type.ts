import type { Schema } from '../fields/schema-parts.ts';

/** One type of entity: its type name on the wire and the JSON Schema of its body. */
export interface EntityType {
  readonly name: string;
  /** Other accepted type names, which responses replace with `name`. */
  readonly aliases: readonly string[];
  /** The noun for texts: "job", "quality result". */
  readonly noun: string;
  readonly schema: Schema;
  /** Fields that are required in v2 but not in legacy writes, as dotted paths. */
  readonly required: readonly string[];
  /**
   * Members of the body (dotted paths) that have another name in GraphQL: null where a relation stands for them, '' where
   * their own members stand in their place.
   */
  readonly names?: Readonly<Record<string, string | null>>;
}

/** A type of document, a body that lives in a workspace (interface, "Document"). */
export interface DocumentType extends EntityType {
  /** The type that `parent` must have; undefined for any document. */
  readonly parentType?: string;
  /** Additional members of documents of this type from one API, validated only there; filters and sorts apply everywhere. */
  readonly further?: Schema;
}
