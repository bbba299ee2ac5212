import { v5 as uuidOf } from 'uuid';
import { ServiceError, throwIfInvalid } from '../../errors.ts';
import { nameKey } from '../../model/catalogs.ts';
import type { Entity, Stored, StoredReferenceRecord } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { GRADE_KINDS, type GradeKind } from '../../model/reference-data/grade-kinds.ts';
import type { ReferenceType } from '../../model/reference-data/reference-types.ts';
import { duplicateKeyIndex } from '../../store/duplicate-key.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import type { Stores } from '../../store/stores.ts';
import { type Page, readPage } from '../lists/page.ts';
import type { RequestContext } from '../request/request-context.ts';
import { checkVersion, type Expectation, firstVersion, nextVersion, retryOnConflict } from '../versions/versions.ts';
import { codeFaults, keptBody, positionOf } from './reference-body.ts';
import { type ReferenceSearch, referenceListing, type Surroundings, surroundings } from './reference-search.ts';

const RECORD_NAMESPACE = '3d5e3c0a-6d0f-5b0e-8f0a-0c4b8f6a2d11';

/** The outcome of writing a record. */
interface PutRecord {
  readonly created: boolean;
  readonly record: Entity;
}

/**
 * Reference records (interface, "Reference API"; contract §8): each belongs to the tenant that wrote it, which finds it by its type
 * and code. Records of other tenants cannot be addressed.
 */
export class ReferenceRecords {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  async get(type: ReferenceType, code: string): Promise<Entity> {
    return this.#find(this.#ctx.readStores(), type, code);
  }

  async #find({ referenceRecords }: Stores, type: ReferenceType, code: string): Promise<Entity> {
    throwIfInvalid(codeFaults(code));
    const found = await referenceRecords.byId(this.#idOf(type, code));
    if (found) return found;
    throw new ServiceError('NOT_FOUND', `There is no ${type.noun} with the client code ${JSON.stringify(code)}.`);
  }

  /** Sorted by client code, or by name when searching by name. */
  list(type: ReferenceType, search: ReferenceSearch): Promise<Page> {
    const { referenceRecords } = this.#ctx.readStores();
    return readPage(this.#ctx, referenceListing(referenceRecords, this.#scope(type), type, search), search);
  }

  /** The records around a place, nearest first. */
  near(type: ReferenceType, place: Surroundings): Promise<Entity[]> {
    const { referenceRecords } = this.#ctx.readStores();
    const around = surroundings(place);
    return this.#ctx.reading((time) => referenceRecords.near(this.#scope(type), { ...around, ...time }));
  }

  /** The types that a grade may have; the same for every caller with a key. */
  gradeTypes(): readonly GradeKind[] {
    return this.#ctx.readStores() && GRADE_KINDS;
  }

  /** Creates the record or replaces it entirely. A repeated request finds what its first run wrote. */
  async put(type: ReferenceType, code: string, sent: JsonObject, expectation: Expectation = {}): Promise<PutRecord> {
    const stores = this.#ctx.writeStores();
    const body = keptBody(type, code, sent);
    const version = { version_id: this.#ctx.sources.newId() };
    return retryOnConflict(this.#ctx, this.#idOf(type, code), async () => {
      const before = await stores.referenceRecords.byId(this.#idOf(type, code));
      const own = before && (await this.#createdBefore(before, version.version_id));
      if (before && own) return { created: own === 1, record: await stores.referenceRecords.confirm(before) };
      if (before) {
        checkVersion(before, expectation);
        const after = this.#stored(type, code, { ...nextVersion(this.#ctx, before, body), ...version }, before);
        const replaced = await stores.referenceRecords.replace(before, after);
        return replaced ? { created: false, record: new WrittenEntity(after) } : undefined;
      }
      checkAbsent(type, code, expectation);
      const made = this.#stored(type, code, { ...this.#first(type, code, body), ...version });
      return (await this.#add(made)) ? { created: true, record: new WrittenEntity(made) } : undefined;
    });
  }

  /** Sets the record INACTIVE. An inactive record stays as it is. */
  async deactivate(type: ReferenceType, code: string, expectation: Expectation = {}): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    return retryOnConflict(this.#ctx, this.#idOf(type, code), async () => {
      const before = await this.#find(stores, type, code);
      checkVersion(before, expectation);
      if (before.at(type.status) === 'INACTIVE') return stores.referenceRecords.confirm(before);
      const body = { ...before.content(), [type.status]: 'INACTIVE' };
      const after = this.#stored(type, code, nextVersion(this.#ctx, before, body), before);
      const isDone = await stores.transaction(async (tx) => {
        if (!(await stores.referenceRecords.replace(before, after, tx))) return false;
        await stores.audit.add([this.#ctx.entry('reference_record.deactivated', before.id)], tx);
        return true;
      });
      return isDone ? new WrittenEntity(after) : undefined;
    });
  }

  /** The number of the version with this id if another attempt of the request wrote it; later versions may follow it. */
  async #createdBefore(record: Entity, version: string): Promise<number | undefined> {
    if (record.versionId === version) return record.revision;
    if (!this.#ctx.sources.mayHaveRun?.()) return undefined;
    return this.#ctx.writeStores().versions.numberOf(version);
  }

  /** False if another request created a record with this code first. */
  async #add(made: StoredReferenceRecord): Promise<boolean> {
    const stores = this.#ctx.writeStores();
    try {
      await stores.transaction((tx) => stores.referenceRecords.add([made], tx));
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  #scope({ name }: ReferenceType) {
    return { tenant: this.#ctx.tenant, type: name };
  }

  /** Always the same for a tenant, type and code: createIdempotently relies on this to detect that a code is taken. */
  #idOf({ name }: ReferenceType, code: string): string {
    return uuidOf(JSON.stringify([this.#ctx.tenant, name, code]), RECORD_NAMESPACE);
  }

  #first(type: ReferenceType, code: string, body: JsonObject): Stored {
    const { tenant } = this.#ctx;
    const id = this.#idOf(type, code);
    return firstVersion(this.#ctx, { id, type: type.name, workspace: null, readers: [tenant], body });
  }

  #stored(type: ReferenceType, code: string, envelope: Stored, before?: Entity): StoredReferenceRecord {
    const { tenant, viewer } = this.#ctx;
    const place = positionOf(type, envelope.body);
    return {
      ...envelope,
      tenant,
      code,
      name_key: nameKey(String(envelope.body.name)),
      creator: before ? String(before.stored('creator')) : viewer.name,
      modifier: viewer.name,
      ...(place && { position: { type: 'Point', coordinates: [place.longitude, place.latitude] } }),
    };
  }
}

/** An If-Match names a version of something that exists (RFC 9110, 13.1.1). */
function checkAbsent({ noun }: ReferenceType, code: string, { expectedVersion }: Expectation): void {
  if (!expectedVersion) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `There is no ${noun} with the client code ${JSON.stringify(code)} yet.`,
  );
}
