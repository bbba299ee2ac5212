import type { Entity, Stored } from '../../model/entity/entity.ts';
import { isTenantPartition } from '../../model/entity/partition.ts';
import { schemaIdOf } from '../../model/fields/schema-ids.ts';
import { type JsonObject, valueAt } from '../../model/json.ts';
import { RawJson } from '../../model/raw-json.ts';
import { RawRecord } from '../bson/raw-record.ts';
import { withBodyMembers } from './body-members.ts';

/**
 * An entity over the bytes received from MongoDB, decoded lazily. Requests may share it and decoded values are cached, so callers
 * must not modify dates or parts of the body; `content()` is a copy.
 */
export class RawEntity implements Entity {
  /** Its size as BSON. */
  readonly byteLength: number;
  readonly #record: RawRecord;
  #id: string | undefined;
  #partition: string | null | undefined;
  #type: string | undefined;
  #readers: readonly string[] | undefined;
  #versionId: string | undefined;
  #parentId: string | null | undefined;
  #createdBy: string | undefined;
  #createdAt: Date | undefined;
  #modifiedBy: string | undefined;
  #modifiedAt: Date | undefined;
  #text: RawJson | undefined;
  #body: RawRecord | undefined;
  #members: Map<string, unknown> | undefined;
  /** Cached strings from outside the body, which are safe to share. */
  #texts: Map<string, string | undefined> | undefined;

  constructor(bytes: Uint8Array) {
    this.byteLength = bytes.byteLength;
    this.#record = new RawRecord(bytes);
  }

  /** The MongoDB reply that contains the bytes. */
  get reply(): ArrayBufferLike {
    return this.#record.buffer;
  }
  get id(): string {
    this.#id ??= this.#record.string('_id') ?? '';
    return this.#id;
  }
  get workspaceId(): string | null {
    return workspaceIn(this.partition);
  }
  get partition(): string | null {
    if (this.#partition === undefined) this.#partition = this.#record.string('workspace') ?? null;
    return this.#partition;
  }
  get type(): string {
    this.#type ??= this.#record.string('type') ?? '';
    return this.#type;
  }
  get readers(): readonly string[] {
    this.#readers ??= this.#record.strings('readers');
    return this.#readers;
  }
  get versionId(): string {
    this.#versionId ??= this.#record.string('version_id') ?? '';
    return this.#versionId;
  }
  get revision(): number {
    return this.#record.number('revision') ?? 0;
  }
  get parentId(): string | null {
    if (this.#parentId === undefined) this.#parentId = this.#record.string('parent_id') ?? null;
    return this.#parentId;
  }
  get createdBy(): string {
    this.#createdBy ??= this.#record.string('created_by') ?? '';
    return this.#createdBy;
  }
  get createdAt(): Date {
    this.#createdAt ??= this.#record.date('created_at') ?? new Date(0);
    return this.#createdAt;
  }
  get modifiedBy(): string {
    this.#modifiedBy ??= this.#record.string('modified_by') ?? '';
    return this.#modifiedBy;
  }
  get modifiedAt(): Date {
    this.#modifiedAt ??= this.#record.date('modified_at') ?? new Date(0);
    return this.#modifiedAt;
  }
  get schemaId(): string {
    return schemaIdOf(this.type);
  }
  get body(): RawJson {
    this.#text ??= new RawJson(this.#record.json('body'));
    return this.#text;
  }
  content(): JsonObject {
    return this.#record.value('body') as JsonObject;
  }
  at(name: string, ...further: readonly string[]): unknown {
    const member = this.#member(name);
    return further.length === 0 ? member : valueAt(member, further);
  }
  stored(path: string): unknown {
    this.#texts ??= new Map();
    const known = this.#texts.get(path);
    if (known !== undefined || this.#texts.has(path)) return known;
    const value = this.#record.at(path.split('.'));
    if (typeof value === 'string' || value === undefined) this.#texts.set(path, value);
    return value;
  }

  #member(name: string): unknown {
    this.#members ??= new Map();
    const known = this.#members.get(name);
    if (known !== undefined || this.#members.has(name)) return known;
    this.#body ??= this.#record.within('body');
    const value = this.#body?.value(name);
    this.#members.set(name, value);
    return value;
  }
}

/** An entity just written, over the stored object. */
export class WrittenEntity implements Entity {
  readonly #stored: Stored;

  constructor(stored: Stored) {
    this.#stored = stored;
  }

  get id(): string {
    return this.#stored._id;
  }
  get workspaceId(): string | null {
    return workspaceIn(this.partition);
  }
  get partition(): string | null {
    return this.#stored.workspace;
  }
  get type(): string {
    return this.#stored.type;
  }
  get readers(): readonly string[] {
    return this.#stored.readers;
  }
  get versionId(): string {
    return this.#stored.version_id;
  }
  get revision(): number {
    return this.#stored.revision;
  }
  get parentId(): string | null {
    return this.#stored.parent_id;
  }
  get createdBy(): string {
    return this.#stored.created_by;
  }
  get createdAt(): Date {
    return this.#stored.created_at;
  }
  get modifiedBy(): string {
    return this.#stored.modified_by;
  }
  get modifiedAt(): Date {
    return this.#stored.modified_at;
  }
  get schemaId(): string {
    return schemaIdOf(this.type);
  }
  get body(): RawJson {
    return new RawJson(JSON.stringify(this.#stored.body));
  }
  content(): JsonObject {
    return this.#stored.body;
  }
  at(...path: readonly string[]): unknown {
    return valueAt(this.#stored.body, path);
  }
  stored(path: string): unknown {
    return valueAt(this.#stored, path.split('.'));
  }
}

const workspaceIn = (partition: string | null): string | null =>
  partition !== null && isTenantPartition(partition) ? null : partition;

withBodyMembers(RawEntity.prototype);
withBodyMembers(WrittenEntity.prototype);
