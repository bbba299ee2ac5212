import type { Schema } from '../fields/schema-parts.ts';

/** What the service knows of one kind of entity: its type name on the wire and the JSON Schema of its body. */
export interface EntityType {
  readonly name: string;
  /** Other type names that are accepted and answered with `name`. */
  readonly aliases: readonly string[];
  /** The noun for texts: "job", "quality result". */
  readonly noun: string;
  readonly schema: Schema;
  /** Fields that the document form (v2) requires, as dotted paths; legacy writes do not need them. */
  readonly required: readonly string[];
  /**
   * Members of the body (dotted paths) that have another name in GraphQL: null where a relation stands for them, '' where
   * their own members stand in their place.
   */
  readonly names?: Readonly<Record<string, string | null>>;
}

/** A type of document, a body that lives in a workspace (interface, "Document"). */
export interface DocumentType extends EntityType {
  /** The type that `parent` must have; undefined when any document will do. */
  readonly parentType?: string;
  /** Members that a family gives its own documents of this type, and checks alone; they filter and sort everywhere. */
  readonly further?: Schema;
}
