import { invalidInput, notFound, ServiceError, throwIfInvalid, type Violation } from '../../errors.ts';
import { canonicalCatalog, isCatalogName, nameKey } from '../../model/catalogs.ts';
import type { Entity, Stored, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { catalogRecordType } from '../../model/entity/entity-types.ts';
import { fieldsOf } from '../../model/fields/fields.ts';
import { whereTableOf } from '../../model/fields/where-table.ts';
import { type JsonObject, sameJson } from '../../model/json.ts';
import { RawJson } from '../../model/raw-json.ts';
import { duplicateKeyIndex } from '../../store/duplicate-key.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import { UNIQUE } from '../../store/indexes/indexes.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import { changeUnlessInUse } from '../deletion/deletion-guard.ts';
import { eraseLeftBehind } from '../deletion/erase-left-behind.ts';
import { eraseLinksLeft, eraseSomeLinks } from '../deletion/erase-links.ts';
import { eraseTraced, restGoesByItself } from '../deletion/erase-traced.ts';
import { ErasureBatch } from '../deletion/erasure-batch.ts';
import type { ListRequest } from '../lists/list-request.ts';
import { checkPage, type Page, readPage } from '../lists/page.ts';
import { lengthViolations } from '../lists/text-length.ts';
import type { RequestContext } from '../request/request-context.ts';
import { patched } from '../validation/body-shape.ts';
import { validatorOf } from '../validation/validators.ts';
import {
  checkVersion,
  createIdempotently,
  type Expectation,
  firstVersion,
  nextVersion,
  retryOnConflict,
  undoInsert,
} from '../versions/versions.ts';
import {
  accessForWriting,
  accessTo,
  fateOfWorkspace,
  refusedBy,
  type WorkspaceAccess,
} from '../workspaces/workspace-access.ts';
import { recordParts } from './new-record.ts';
import { itemText } from './record-item.ts';
import { refuseRecordInUse } from './record-use.ts';

const validator = validatorOf(catalogRecordType);
const fields = fieldsOf(catalogRecordType.schema);
const where = whereTableOf(catalogRecordType);

/** Identifies a record; a record of another workspace or catalog is NOT_FOUND. */
interface RecordPlace {
  readonly workspace: string;
  readonly catalog?: string | null | undefined;
  readonly id: string;
}

/** Catalog records, called external references in v2 (interface, "External reference record"; contract §6). */
export class CatalogRecords {
  readonly #ctx: RequestContext;
  readonly #items = new WeakMap<Entity, RawJson>();

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  async get(place: RecordPlace): Promise<Entity> {
    return this.find(this.#ctx.readStores(), place);
  }

  /** Throws INVALID_INPUT for invalid list arguments. */
  checkList(request: ListRequest): void {
    checkPage({ fields, where }, request);
  }

  async list(
    request: ListRequest & { readonly workspace: string; readonly catalog?: string | null | undefined },
  ): Promise<Page> {
    const stores = this.#ctx.readStores();
    const scope = {
      workspace: request.workspace,
      ...inCatalog(request.catalog),
      readers: this.#ctx.tenant,
    };
    const page = await readPage(this.#ctx, { collection: stores.catalogRecords, fields, where, scope }, request);
    // A record in the list proves access to the workspace; if the list is empty, access is checked.
    if (page.nodes.length === 0) await accessTo(this.#ctx, stores, request.workspace);
    return page;
  }

  /** The body as the parties wrote it, without the members set by the service; made once, when its text is asked for. */
  item(record: Entity): RawJson {
    const item = this.#items.get(record) ?? new RawJson(() => itemText(record));
    this.#items.set(record, item);
    return item;
  }

  /** The record with this id, if it exists and the caller may read it. */
  findVisible(id: string): Promise<Entity | undefined> {
    // Not async: that would cost two more promises for each of a page's hundred records.
    if (this.#ctx.hasFound(id)) return Promise.try(() => this.#ctx.found(id));
    return this.#ctx.readStores().catalogRecords.visible(id, this.#ctx);
  }

  /** The records that can be read in one batch, by id; the others are found one by one. Undefined if none needs reading. */
  findTogether(ids: readonly string[]): Promise<ReadonlyMap<string, Entity | undefined>> | undefined {
    const ctx = this.#ctx;
    const rest = ids.filter((id) => !ctx.hasFound(id));
    if (rest.length === 0) return undefined;
    return ctx.readStores().catalogRecords.visibleTogether(rest, ctx);
  }

  async create(workspace: string, catalog: string, body: JsonObject): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    const xtype = catalogNamed(catalog);
    throwIfInvalid([
      ...validator.violations({ ...body, xtype: body.xtype ?? xtype }, true),
      ...workspaceViolations(workspace, body),
      ...catalogViolations(xtype, body),
    ]);
    const access = await accessForWriting(ctx, workspace);
    throwIfInvalid(ownerViolations(access, body));
    const owner = ownerOf(access, body) ?? access.owner;
    const whole = { ...body, workspace, xtype, ownerParty: owner };
    const id = ctx.sources.newId();
    const envelope = firstVersion(ctx, {
      id,
      type: catalogRecordType.name,
      workspace,
      readers: access.readers,
      body: whole,
    });
    const stored = withKeys(envelope);
    const stays = async ({ versionId }: { readonly versionId: string }): Promise<true> => {
      const fate = await fateOfWorkspace(ctx, workspace);
      if (fate === 'stays') return true;
      if (fate === 'gone') await eraseLeftBehind(stores, workspace);
      else await undoInsert(ctx, stores.catalogRecords, { id, versionId });
      throw refusedBy(fate, workspace);
    };
    return createIdempotently(ctx, { collection: stores.catalogRecords, id, stays }, async () => {
      await stores.catalogRecords.insert(stored).catch(xrefTaken);
      stores.rememberedReferences.forget(workspace);
      await stays({ versionId: stored.version_id });
      return new WrittenEntity(stored);
    });
  }

  /** Throws INVALID_INPUT for a patch that is invalid for any record of the workspace, if that is known. */
  checkPatch(workspace: string | undefined, patch: JsonObject): void {
    throwIfInvalid([...validator.violationsOfPatch(patch), ...workspaceViolations(workspace, patch)]);
  }

  async update(place: RecordPlace, patch: JsonObject, expectation: Expectation = {}): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    const { catalogRecords, rememberedReferences } = stores;
    this.checkPatch(place.workspace, patch);
    return retryOnConflict(ctx, place.id, async () => {
      const before = await this.find(stores, place);
      const old = before.content();
      const access = await accessForWriting(ctx, place.workspace);
      const body = mergedBody(before, old, patch, access);
      checkVersion(before, expectation);
      if (sameJson(old, body)) return catalogRecords.confirm(before);
      const moves = body.xtype !== old.xtype;
      const createdFor = body.name === old.name && !moves ? before.stored('created_for') : undefined;
      const after = withKeys(nextVersion(ctx, before, body), createdFor);
      const replace = (tx?: Transaction) => catalogRecords.replace(before, after, tx).catch(xrefTaken);
      const isDone = moves
        ? await changeUnlessInUse(ctx, {
            collection: catalogRecords,
            entity: before,
            refuseInUse: () => refuseRecordInUse(ctx, before, { synonyms: true }),
            change: (mark) =>
              stores.transaction(async (tx) => (await catalogRecords.unmark(mark, tx)) && (await replace(tx))),
          })
        : await replace();
      rememberedReferences.forget(place.workspace);
      return isDone ? new WrittenEntity(after) : undefined;
    });
  }

  /** Deletes a record with its synonyms; IN_USE while documents refer to it. */
  async remove(place: RecordPlace, expectation: Expectation = {}): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    return retryOnConflict(ctx, place.id, async () => {
      const before = await this.find(stores, place);
      checkVersion(before, expectation);
      const records = { ids: [before.id], workspace: place.workspace };
      let isAll = true;
      const isErased = await changeUnlessInUse(ctx, {
        collection: stores.catalogRecords,
        entity: before,
        refuseInUse: () => refuseRecordInUse(ctx, before, { synonyms: false }),
        change: (mark) =>
          stores.transaction(async (tx) => {
            const deletion = ctx.deletionIn(tx);
            const erased = await eraseTraced(stores, { collection: stores.catalogRecords, match: mark }, deletion);
            if (erased.length === 0) return false;
            const batch = new ErasureBatch(stores, deletion);
            await eraseSomeLinks(stores, records, batch);
            isAll = !batch.isFull;
            return true;
          }),
      });
      stores.rememberedReferences.forget(place.workspace);
      if (!isErased) return undefined;
      if (!isAll) await eraseLinksLeft(stores, records).catch(restGoesByItself);
      return before;
    });
  }

  /** Like `get`, for stores whose scope has already been checked. */
  async find(stores: Stores, { workspace, catalog, id }: RecordPlace): Promise<Entity> {
    const scope = { workspace, ...inCatalog(catalog), readers: this.#ctx.tenant };
    const found = await stores.catalogRecords.findOne({ _id: id, ...scope });
    if (found) return found;
    await accessTo(this.#ctx, stores, { workspace, entity: id });
    throw notFound('catalog record', id);
  }
}

/** The canonical name of a catalog; NOT_FOUND for an impossible name, INVALID_INPUT if it is too long or cannot appear in a path. */
export function catalogNamed(name: string): string {
  throwIfInvalid(lengthViolations({ catalog: name }));
  if (isCatalogName(name)) return canonicalCatalog(name);
  if (/^\.{1,2}$/.test(name)) throw invalidInput([{ parameter: 'catalog', message: 'must not be "." or "..".' }]);
  throw new ServiceError('NOT_FOUND', `There is no catalog "${name}": ${NAMES}`);
}

const NAMES = 'names consist of letters, digits, _, - and .';

/** Throws INVALID_INPUT for an impossible catalog name in a filter. */
export function checkCatalogFilter(parameter: 'catalog' | 'catalogs', name: string): void {
  throwIfInvalid(lengthViolations({ [parameter]: name }));
  if (name === '' || isCatalogName(name)) return;
  throwIfInvalid([{ parameter, message: `is the name of no catalog: ${NAMES}` }]);
}

/** The scope of a catalog, if one is given; nothing is in the catalog with an empty name (contract §13). */
export const inCatalog = (name: string | null | undefined): { readonly xtype?: string } =>
  name == null ? {} : { xtype: name === '' ? '' : catalogNamed(name) };

function mergedBody(before: Entity, old: JsonObject, patch: JsonObject, access: WorkspaceAccess): JsonObject {
  const merged = patched(old, patch);
  const xtype = typeof merged.xtype === 'string' ? canonicalCatalog(merged.xtype) : (merged.xtype ?? old.xtype ?? null);
  const { workspace = null, ownerParty = null } = merged;
  const body = {
    ...merged,
    workspace: workspace ?? before.workspaceId,
    xtype,
    ownerParty: ownerParty ?? old.ownerParty ?? null,
  };
  throwIfInvalid([...validator.violationsOfChange(old, body), ...ownerViolations(access, body)]);
  return { ...body, workspace: access.id, ownerParty: ownerOf(access, body) ?? access.owner };
}

function withKeys(envelope: Stored, createdFor?: unknown): StoredCatalogRecord {
  const { name, xref, xtype, ownerParty } = envelope.body;
  return {
    ...envelope,
    xtype: String(xtype),
    owner: String(ownerParty),
    name_key: nameKey(String(name)),
    ...recordParts(nameKey(String(name)), xref),
    ...(typeof xref === 'string' && xref.trim() !== '' && { xref }),
    ...(typeof createdFor === 'string' && { created_for: createdFor }),
  };
}

/** The party that a body names as the owner, if any. */
const ownerOf = ({ parties }: WorkspaceAccess, { ownerParty }: JsonObject): string | undefined =>
  typeof ownerParty === 'string' ? parties.find((party) => party === ownerParty.toLowerCase()) : undefined;

function ownerViolations(access: WorkspaceAccess, body: JsonObject): Violation[] {
  if (typeof body.ownerParty !== 'string' || ownerOf(access, body)) return [];
  const message = `must be a party of the workspace ${access.id}: ${access.parties.join(' or ')}.`;
  return [{ path: '/ownerParty', message }];
}

function workspaceViolations(id: string | undefined, { workspace }: JsonObject): Violation[] {
  if (id === undefined || typeof workspace !== 'string' || workspace.toLowerCase() === id) return [];
  return [{ path: '/workspace', message: `must be ${id}: a record stays in its workspace.` }];
}

function catalogViolations(catalog: string, { xtype }: JsonObject): Violation[] {
  if (typeof xtype !== 'string' || canonicalCatalog(xtype) === catalog) return [];
  return [{ path: '/xtype', message: `must be ${catalog}, the catalog that the record is written to.` }];
}

function xrefTaken(error: unknown): never {
  if (duplicateKeyIndex(error) !== UNIQUE.recordXref) throw error;
  throw new ServiceError(
    'XREF_TAKEN',
    'Another record of this party has this xref in the catalog: an xref is unique there.',
  );
}
