import type { Entity, Stored } from '../../model/entity/entity.ts';
import { isTenantPartition } from '../../model/entity/partition.ts';
import { schemaIdOf } from '../../model/fields/schema-ids.ts';
import { type JsonObject, valueAt } from '../../model/json.ts';
import { RawJson } from '../../model/raw-json.ts';
import { RawRecord } from '../bson/raw-record.ts';
import { withBodyMembers } from './body-members.ts';

/**
 * An entity over the bytes that MongoDB sent, decoded lazily. Requests may share it, so decoded parts of the body are
 * cached.
 */
export class RawEntity implements Entity {
  /** Its size as BSON. */
  readonly byteLength: number;
  readonly #record: RawRecord;
  #id: string | undefined;
  #readers: readonly string[] | undefined;
  #text: RawJson | undefined;
  #body: RawRecord | undefined;
  #members: Map<string, unknown> | undefined;
  /** Texts beside the body that were asked for, which cannot be changed by who shares them. */
  #texts: Map<string, string | undefined> | undefined;

  constructor(bytes: Uint8Array) {
    this.byteLength = bytes.byteLength;
    this.#record = new RawRecord(bytes);
  }

  get id(): string {
    this.#id ??= this.#record.string('_id') ?? '';
    return this.#id;
  }
  get workspaceId(): string | null {
    return workspaceIn(this.partition);
  }
  get partition(): string | null {
    return this.#record.string('workspace') ?? null;
  }
  get type(): string {
    return this.#record.string('type') ?? '';
  }
  get readers(): readonly string[] {
    this.#readers ??= this.#record.strings('readers');
    return this.#readers;
  }
  get versionId(): string {
    return this.#record.string('version_id') ?? '';
  }
  get revision(): number {
    return this.#record.number('revision') ?? 0;
  }
  get parentId(): string | null {
    return this.#record.string('parent_id') ?? null;
  }
  get createdBy(): string {
    return this.#record.string('created_by') ?? '';
  }
  get createdAt(): Date {
    return this.#record.date('created_at') ?? new Date(0);
  }
  get modifiedBy(): string {
    return this.#record.string('modified_by') ?? '';
  }
  get modifiedAt(): Date {
    return this.#record.date('modified_at') ?? new Date(0);
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
    this.#body ??= this.#record.within('body');
    if (further.length > 0) return this.#body?.at([name, ...further]);
    this.#members ??= new Map();
    let value = this.#members.get(name);
    if (value === undefined) {
      value = this.#body?.value(name);
      this.#members.set(name, value);
    }
    return value;
  }
  stored(path: string): unknown {
    this.#texts ??= new Map();
    const known = this.#texts.get(path);
    if (known !== undefined || this.#texts.has(path)) return known;
    const value = this.#record.at(path.split('.'));
    if (typeof value === 'string' || value === undefined) this.#texts.set(path, value);
    return value;
  }
}

/** An entity that was just written, over the object that was stored. */
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
