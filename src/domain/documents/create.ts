import { notFound, outcomeUnknown, ServiceError, throwIfInvalid, type Violation } from '../../errors.ts';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { finishLater } from '../../store/connection/finish-later.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import { type CatalogReference, referencesIn } from '../catalogs/catalog-reference.ts';
import { type KnownAhead, lookAhead, rememberResolution } from '../catalogs/remembered-references.ts';
import { type Resolution, recordsMeant, resolve, unfit } from '../catalogs/resolve-references.ts';
import { withdrawRecords } from '../catalogs/withdraw-records.ts';
import { needsRecords, writeTogether } from '../catalogs/write-with-references.ts';
import type { RequestContext } from '../request/request-context.ts';
import { createIdempotently, retryOnConflict } from '../versions/versions.ts';
import { accessTo, expectedAccess, type SeeRecords, type WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { confirmInsert, confirmUnknownInsert, found, type Inserted, isUnknown, placed } from './confirm-insert.ts';
import { type DocumentKind, documentKind } from './document-kind.ts';
import { linkViolations } from './linked-documents.ts';
import { type BodyPlace, firstDocument, parentOf, unfitParent, withMark } from './new-document.ts';
import { mapDuplicateKey } from './rules.ts';
import type { StorageForm } from './storage-form.ts';

/** A new document with a valid, completed body. */
interface CheckedDocument {
  readonly place: BodyPlace;
  readonly body: JsonObject;
  readonly storageForm: StorageForm;
  /** The id, if it is chosen already. */
  readonly id?: string;
  /** Receives the records that the document refers to, as read after its insert. */
  readonly see?: SeeRecords;
}

/** A checked document with everything determined before its insert. */
interface ReadyDocument extends CheckedDocument {
  readonly id: string;
  readonly catalogReferences: readonly CatalogReference[];
  readonly ahead: KnownAhead | undefined;
}

/** Stores a new document in one of the caller's workspaces, with the catalog records it refers to. */
export async function addDocument(
  ctx: RequestContext,
  kind: DocumentKind,
  allowed: WorkspaceAccess | Promise<WorkspaceAccess>,
  checked: CheckedDocument,
): Promise<Entity> {
  const { place, body, storageForm } = checked;
  const catalogReferences = referencesIn(storageForm.references, body);
  const expected = accessAhead(ctx, allowed, place);
  let ahead = expected && lookAhead(ctx, expected, catalogReferences);
  const access = await allowed;
  const violations = [
    ...(await parentViolations(ctx, kind, access, { body, place })),
    ...(await linkViolations(ctx, kind, access, [{ body }])),
  ];
  if (violations.length > 0) throw await unfit(ctx, access, { violations, references: catalogReferences });
  const { id = ctx.sources.newId() } = checked;
  const insert = () => {
    const known = ahead;
    ahead = undefined; // a retry reads the records again
    return insertDocument(ctx, kind, access, { ...checked, id, catalogReferences, ahead: known });
  };
  const stays = (entity: Entity) => confirmInsert(ctx, found(entity, access.id));
  try {
    return await createIdempotently(ctx, { collection: ctx.writeStores().documents, id, stays }, () =>
      retryOnConflict(ctx, id, insert),
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) void finishLater(() => confirmUnknownInsert(ctx, id, access.id));
    throw error;
  }
}

/** The access with which reads can start; undefined if unknown. */
function accessAhead(
  ctx: RequestContext,
  allowed: WorkspaceAccess | Promise<WorkspaceAccess>,
  { workspace }: BodyPlace,
): WorkspaceAccess | undefined {
  if (!(allowed instanceof Promise)) return allowed;
  return workspace === null ? undefined : expectedAccess(ctx, workspace);
}

/**
 * Inserts, then checks; undefined if a record was deleted or moved meanwhile, or a reference resolves to another record than the cached
 * one: the document was then removed again.
 */
async function insertDocument(
  ctx: RequestContext,
  kind: DocumentKind,
  access: WorkspaceAccess,
  made: ReadyDocument,
): Promise<Entity | undefined> {
  const { id, body, storageForm, catalogReferences, ahead, see } = made;
  const insert = async ({ ids, created }: Resolution, tx?: Transaction) => {
    const stored = withMark(firstDocument(ctx, kind, access, { id, ...storageForm.toStored(body, ids) }));
    await ctx.writeStores().documents.insert(stored, tx).catch(mapDuplicateKey(kind.rules, stored.body));
    return { kind: 'written', stored, created, ids } as const;
  };
  const resolution = ahead?.remembered ?? (await resolve(ctx, access, catalogReferences, ahead?.candidates));
  const makesRecords = needsRecords(resolution);
  if (makesRecords && access.isRemembered) await accessTo(ctx, ctx.writeStores(), access.id); // creates no records in a deleted workspace
  const { stored, created, ids } = makesRecords
    ? await writeTogether(ctx, access, catalogReferences, { write: insert })
    : await insert(resolution);
  const entity = new WrittenEntity(stored);
  const meant = ahead?.remembered && (() => recordsMeant(ctx, access, resolution.ids));
  const catalogs = new Map(Array.from(ids, ([{ catalog }, record]) => [record, catalog]));
  const inserted = { ...placed(entity, access.id), catalogs, wasFound: false, meant, see };
  if (await confirmed(ctx, inserted, created)) {
    if (!makesRecords) rememberResolution(ctx, access, resolution);
    return entity;
  }
  ctx.writeStores().rememberedReferences.forget(access.id);
  throwIfInvalid(await parentViolations(ctx, kind, access, made));
  return undefined;
}

/** Whether the document stays; if not, the records created for it are withdrawn too. */
async function confirmed(
  ctx: RequestContext,
  inserted: Inserted,
  created: readonly StoredCatalogRecord[],
): Promise<boolean> {
  try {
    const stays = await confirmInsert(ctx, inserted);
    if (!stays) await withdrawRecords(ctx, created);
    return stays;
  } catch (error) {
    if (!isUnknown(error)) {
      await withdrawRecords(ctx, created);
      throw error;
    }
    // The document exists, and whether it stays is not known yet: that is not an error of the request.
    ctx.writeStores().rememberedReferences.forget(inserted.workspace); // so that the next insert reads the records first
    void finishLater(() => confirmUnknownInsert(ctx, inserted.id, inserted.workspace));
    throw outcomeUnknown(error);
  }
}

/**
 * The violation of a parent named by the body that is not another document of this workspace and of the required type; NOT_FOUND if the
 * path names it.
 */
export async function parentViolations(
  ctx: RequestContext,
  { type }: DocumentKind,
  { id: workspace }: WorkspaceAccess,
  made: { readonly body: JsonObject; readonly id?: string; readonly place?: BodyPlace },
): Promise<readonly Violation[]> {
  const parent = parentOf(made.body);
  if (parent === null) return [];
  const found = parent === made.id ? undefined : await ctx.writeStores().documents.findOne({ _id: parent, workspace });
  const fits = found && (type.parentType === undefined || found.type === type.parentType);
  if (fits) return [];
  const wanted = type.parentType ? documentKind(type.parentType).type.noun : 'document';
  if (made.place?.parent) throw notFound(wanted, parent);
  return [unfitParent(wanted, '/parent', parent)];
}
