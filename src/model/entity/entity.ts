import type { BridgeShape } from '../data-api/data-api-job.ts';
import type { Json, JsonObject } from '../json.ts';
import type { RawJson } from '../raw-json.ts';

/**
 * An entity as it is read, its properties under the names of GraphQL: the envelope's values at hand, the body still in
 * the form it is stored in. `body` is the cheap way to all of it, `at` to one member; `content` builds the object.
 */
export interface Entity {
  readonly id: string;
  /** The workspace that it lives in; null for organizations, workspaces and jobs without one. */
  readonly workspaceId: string | null;
  /** Where it is stored: its workspace, or the place of its tenant for a job without one. */
  readonly home: string | null;
  readonly type: string;
  /** The id of the JSON Schema of the type's bodies. */
  readonly schemaId: string;
  /** The tenants that may see it. */
  readonly readers: readonly string[];
  readonly versionId: string;
  /** 1 for the first version, one more for each change. */
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
  /** One member of the body; undefined when it is absent. */
  at(name: string, ...further: readonly string[]): unknown;
  /** A stored value by its dotted path, for cursors and for the rules of one noun. */
  stored(path: string): unknown;
}

/** What entities have under these names is never a member of their bodies. */
const PROPERTIES: Readonly<Record<keyof Entity, true>> = {
  id: true,
  workspaceId: true,
  home: true,
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

/** Whether a body member of that name can be read as a property of its entity, too. */
export const isBodyProperty = (name: string): boolean => !(name in PROPERTIES); // nor what any object has, as toString

/** An entity by its id and workspace: what it takes to find what belongs to it. */
export type PlacedEntity = Pick<Entity, 'id' | 'workspaceId'>;

/** A superseded or current version of an entity, and the body of the version before it. */
export interface Version {
  readonly versionId: string;
  readonly revision: number;
  readonly modifiedBy: string;
  readonly modifiedAt: Date;
  readonly body: JsonObject;
  /** Undefined for the first version. */
  readonly before: JsonObject | undefined;
  /** The tenants that may see the entity. */
  readonly readers: readonly string[];
}

/** The stored form that every entity shares; bodies are stored as v2 and legacy send them. */
export interface Stored {
  readonly _id: string;
  /** The workspace; for a job without one, the place of its tenant (tenantPartition). */
  readonly workspace: string | null;
  readonly type: string;
  readonly readers: readonly string[];
  readonly version_id: string;
  readonly revision: number;
  readonly parent_id: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly modified_by: string;
  readonly modified_at: Date;
  readonly body: JsonObject;
  /**
   * Which try of a request that may run again made it, or took it over from an earlier one; until it is changed. A try
   * takes back only what is still its own.
   */
  readonly attempt?: string;
}

/** An organization: its name in the form in which names are compared, unique. */
export interface StoredOrganization extends Stored {
  readonly name_key: string;
  readonly tenant: string;
  /** How often a workspace was made with it: a write that makes creation and deletion exclude each other. */
  readonly uses: number;
}

export interface StoredParty {
  readonly id: string;
  readonly tenant: string;
}

/** A workspace: its two parties never change, nor do their tenants. */
export interface StoredWorkspace extends Stored {
  readonly parties: { readonly client: StoredParty; readonly vendor: StoredParty };
  /** Set while a deletion looks whether the workspace is empty. */
  readonly deleting_at?: Date;
}

/** A document: the records that it refers to, and comparable values beside the body. */
export interface StoredDocument extends Stored {
  readonly refs: readonly string[];
  readonly keys: Readonly<Record<string, Date | Json>>;
  /** What its type allows once, such as a job's direction; a unique index keeps it. */
  readonly unique_for?: string;
  /** On jobs created through the Data API, whose former name the stored field keeps. */
  readonly bridge?: StoredBridge;
}

/** What the Data API sent that has no place in the form of the other families; it is joined for the Data API alone. */
export interface StoredBridge {
  readonly shape: BridgeShape;
  /** The references where the body holds a record id, as they were sent. */
  readonly references: readonly SentReference[];
  /** Members whose names mean something else in the other families. */
  readonly kept: JsonObject;
  /** What the quantity of Shape B has beside value and uom; null when it is no object. */
  readonly quantity: JsonObject | null;
}

/** A reference as it was sent: the dotted path where it stands, without indexes, and the record that was found. */
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
  readonly xref?: string;
  /** Set on records that a reference created: unique, so that fifty requests at once create one. */
  readonly created_for?: string;
  /** Set while a deletion looks whether documents refer to the record. */
  readonly deleting_at?: Date;
}

/** A file at a document: what it takes to read its contents, beside the body. */
export interface StoredAttachment extends Stored {
  readonly file: { readonly id: string; readonly chunk_size: number; readonly sha256: string };
}

/** A link between two records: their ids in order, so that it is one link whichever was named first. */
export interface StoredSynonym extends Stored {
  readonly xtype: string;
  readonly items: readonly [string, string];
  readonly pair: string;
}

/** A reference record: the current version of what a tenant says under one of its codes. */
export interface StoredReferenceRecord extends Stored {
  readonly tenant: string;
  readonly code: string;
  readonly name_key: string;
  /** The names of the principals that created it, and that wrote this version. */
  readonly creator: string;
  readonly modifier: string;
  /** Where a location is, as GeoJSON: longitude first. */
  readonly position?: { readonly type: 'Point'; readonly coordinates: readonly [number, number] };
}
