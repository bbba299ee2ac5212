import type { DataApiShape } from '../data-api/data-api-job.ts';
import type { Json, JsonObject } from '../json.ts';
import type { RawJson } from '../raw-json.ts';

/**
 * An entity as read from the database, with properties named as in GraphQL; the body is still in its stored form.
 * `body` is the cheap way to get the whole body, `at` to get one member; `content` builds the object.
 */
export interface Entity {
  readonly id: string;
  /** The workspace; null for organizations, workspaces and jobs without one. */
  readonly workspaceId: string | null;
  /** The partition: its workspace, or that of its tenant for a job without one. */
  readonly partition: string | null;
  readonly type: string;
  /** The id of the JSON Schema of the type's bodies. */
  readonly schemaId: string;
  /** The tenants that may read it. */
  readonly readers: readonly string[];
  readonly versionId: string;
  /** 1 for the first version, incremented by each change. */
  readonly revision: number;
  readonly parentId: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly modifiedBy: string;
  readonly modifiedAt: Date;
  /** The body as JSON text. */
  readonly body: RawJson;
  /** The body as an object. */
  content(): JsonObject;
  /** One member of the body; undefined if absent. */
  at(name: string, ...further: readonly string[]): unknown;
  /** A stored value by its dotted path, for cursors and for type-specific rules. */
  stored(path: string): unknown;
}

/** The property names of entities, which never refer to body members. */
const PROPERTIES: Readonly<Record<keyof Entity, true>> = {
  id: true,
  workspaceId: true,
  partition: true,
  type: true,
  schemaId: true,
  readers: true,
  versionId: true,
  revision: true,
  parentId: true,
  createdBy: true,
  createdAt: true,
  modifiedBy: true,
  modifiedAt: true,
  body: true,
  content: true,
  at: true,
  stored: true,
};

/** Whether a body member with that name can also be a property of its entity. */
export const isBodyProperty = (name: string): boolean => !(name in PROPERTIES); // nor a property of every object, such as toString

/** The id and workspace of an entity, which suffice to find what belongs to it. */
export type PlacedEntity = Pick<Entity, 'id' | 'workspaceId'>;

/** A superseded or current version of an entity, without its body unless it is the current one. */
export interface Version {
  readonly versionId: string;
  readonly revision: number;
  readonly modifiedBy: string;
  readonly modifiedAt: Date;
  /** The entity as it is now. */
  readonly entity: Entity;
  /** The id of the previous version; undefined for the first version that the caller may see. */
  readonly previousId: string | undefined;
}

/** The stored form that every entity shares; bodies are stored as v2 and legacy send them. */
export interface Stored {
  readonly _id: string;
  /** The workspace; for a job without one, the partition of its tenant (tenantPartition). */
  readonly workspace: string | null;
  readonly type: string;
  readonly readers: readonly string[];
  readonly version_id: string;
  readonly revision: number;
  readonly parent_id: string | null;
  /** The tenant that sent it, for whose quota it counts; absent if unknown, or if no tenant sent it. */
  readonly sender?: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly modified_by: string;
  readonly modified_at: Date;
  readonly body: JsonObject;
  /**
   * The attempt of a retryable request that created the entity, or took it over from an earlier attempt; until it is changed.
   * An attempt undoes only what is still its own.
   */
  readonly attempt?: string;
}

/** An organization, with the unique comparison keys of its name. */
export interface StoredOrganization extends Stored {
  readonly name_key: string;
  /** The visible form of the name; absent if an older organization's name looks the same. */
  readonly visible_key?: string;
  readonly parts?: readonly string[];
  readonly tenant: string;
  /** A counter incremented by each workspace creation, so that it conflicts with a concurrent deletion. */
  readonly uses: number;
}

interface StoredParty {
  readonly id: string;
  readonly tenant: string;
}

/** A workspace: its two parties never change, nor do their tenants. */
export interface StoredWorkspace extends Stored {
  readonly parties: { readonly client: StoredParty; readonly vendor: StoredParty };
  /** The tenants that opened it or wrote in it. They have accepted it, and can no longer decline it. */
  readonly used_by?: readonly string[];
  /** The tenants that accepted it, including those that use it. */
  readonly accepted_by?: readonly string[];
  /** The tenants that declined it; their lists omit it. */
  readonly declined_by?: readonly string[];
  /** Its parties' deleted organizations: a workspace that their tenants never accepted cannot prevent the deletion. */
  readonly left_by?: readonly string[];
  /** Set while a deletion checks whether the workspace is empty. */
  readonly deleting_at?: Date;
}

/** A document, with the records that it refers to and the comparable values of its body. */
export interface StoredDocument extends Stored {
  readonly refs: readonly string[];
  readonly keys: Readonly<Record<string, Date | Json>>;
  /** Parts of the texts, for substring searches (src/model/fields/text-parts.ts). */
  readonly parts?: readonly string[];
  /** A value that may occur once, such as a job's direction; enforced by a unique index. */
  readonly unique_for?: string;
  /** Set on jobs created through the Data API; the stored field keeps that API's former name. */
  readonly bridge?: DataApiExtras;
  /** Set on jobs once the figure audit has found something: its verdict, a flag that lists filter by, and the number of the audit. */
  readonly audit?: { readonly passed: boolean; readonly n: number };
}

/** The parts of a Data API job that the common form cannot represent; merged in for the Data API only. */
export interface DataApiExtras {
  readonly shape: DataApiShape;
  /** The references as sent, where the body has a record id. */
  readonly references: readonly SentReference[];
  /** Members whose names have another meaning in the other APIs. */
  readonly kept: JsonObject;
  /** The members of Shape B's quantity besides value and uom; null if it is not an object. */
  readonly quantity: JsonObject | null;
}

/** A reference as sent: its dotted path without indexes, and the record it was resolved to. */
export interface SentReference {
  readonly at: string;
  readonly id: string;
  readonly sent: JsonObject;
}

/** A record of a workspace's catalog. */
export interface StoredCatalogRecord extends Stored {
  readonly xtype: string;
  readonly owner: string;
  readonly name_key: string;
  readonly parts?: readonly string[];
  readonly xref?: string;
  /** Set on records created by a reference; unique, so that concurrent requests create only one. */
  readonly created_for?: string;
  /** Set while a deletion checks whether documents refer to the record. */
  readonly deleting_at?: Date;
}

/** A file attached to a document, with the data needed to read its contents. */
export interface StoredAttachment extends Stored {
  readonly file: { readonly id: string; readonly chunk_size: number; readonly sha256: string };
}

/** A link between two records, with their ids sorted, so that the link is the same in both directions. */
export interface StoredSynonym extends Stored {
  readonly xtype: string;
  readonly items: readonly [string, string];
  readonly pair: string;
}

/** A reference record: the current version of a tenant's record with one code. */
export interface StoredReferenceRecord extends Stored {
  readonly tenant: string;
  readonly code: string;
  readonly name_key: string;
  /** The names of the principals that created it and this version. */
  readonly creator: string;
  readonly modifier: string;
  /** The coordinates of a location as GeoJSON: longitude first. */
  readonly position?: { readonly type: 'Point'; readonly coordinates: readonly [number, number] };
}
