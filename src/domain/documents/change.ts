import { throwIfInvalid } from '../../errors.ts';
import type { DataApiExtras, Entity, StoredDocument } from '../../model/entity/entity.ts';
import { withoutReplaced } from '../../model/fields/field-aliases.ts';
import { type JsonObject, sameJson } from '../../model/json.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import { type CatalogReference, referencesIn, withoutRenamed } from '../catalogs/catalog-reference.ts';
import { type Resolution, resolve, unfit } from '../catalogs/resolve-references.ts';
import { CONFLICT, recordsWritten, type WriteResult, writeTogether } from '../catalogs/write-with-references.ts';
import type { RequestContext } from '../request/request-context.ts';
import { patched } from '../validation/body-shape.ts';
import { inTurn } from '../versions/in-turn.ts';
import { checkVersion, type Expectation, nextVersion } from '../versions/versions.ts';
import { accessForWriting, accessToOwn, type WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { cycleViolations, fenceAncestors } from './ancestors.ts';
import { parentViolations } from './create.ts';
import { type DocumentKind, derivedParts, documentKind } from './document-kind.ts';
import { linkViolations } from './linked-documents.ts';
import { inPlace, parentOf, ruleViolations } from './new-document.ts';
import { mapDuplicateKey } from './rules.ts';
import { type StorageForm, sameExtras, storageFormOf } from './storage-form.ts';

/** The preconditions of a change, and whether required fields are enforced. */
export interface Change extends Expectation {
  /** False in the legacy form, where required fields may be removed. */
  readonly requireFields?: boolean;
}

/** A merge patch of a document. */
interface DocumentPatch {
  readonly patch: JsonObject;
  /** The parent in the path of the request. */
  readonly parent: string | null | undefined;
  readonly change: Change;
  /** The document's workspace, if it is already being read. */
  readonly workspace?: Promise<Entity | undefined> | undefined;
}

/** A valid change, ready to be written once its references are resolved. */
interface PlannedChange {
  readonly before: Entity;
  readonly old: JsonObject;
  readonly kind: DocumentKind;
  readonly body: JsonObject;
  readonly storageForm: StorageForm;
  readonly access: WorkspaceAccess;
  readonly references: readonly CatalogReference[];
  /** The records that the document already refers to. */
  readonly alreadyReferenced: ReadonlySet<string>;
  /** The document's new parent, if it changes. */
  readonly newParent: string | undefined;
}

/** Writes the next version of a document, or none if the patch changes nothing. */
export async function changeDocument(
  ctx: RequestContext,
  before: Entity,
  request: DocumentPatch,
): Promise<WriteResult<StoredDocument>> {
  const planned = await planChange(ctx, before, request);
  const { access, references, alreadyReferenced, newParent } = planned;
  const resolution = await resolveOthers(ctx, planned);
  const written = recordsWritten(resolution, alreadyReferenced);
  if (newParent !== undefined) written.push(`below ${newParent}`);
  if (written.length === 0) return writeVersion(ctx, planned, resolution);
  const write = async (found: Resolution, tx: Transaction) => {
    if (newParent !== undefined && !(await fenceAncestors(ctx, { id: before.id, parent: newParent }, tx)))
      return CONFLICT;
    return writeVersion(ctx, planned, { ...found, tx });
  };
  return inTurn(ctx, written, () => writeTogether(ctx, access, references, { alreadyReferenced, write }));
}

/** The body that a change leads to, and how it is stored; INVALID_INPUT lists every violation that needs no other stored data. */
export function changedBody(
  before: Entity,
  { patch, parent: named, change }: DocumentPatch,
): Pick<PlannedChange, 'kind' | 'old' | 'body' | 'storageForm'> {
  const kind = documentKind(before.type);
  const old = before.content();
  const at = { workspace: before.workspaceId, parent: named };
  const target = withoutRenamed(kind.references, withoutReplaced(kind.validator.keyed, old, patch), patch);
  const body = inPlace(kind, patched(target, patch), at);
  const storageForm = storageFormOf(kind, before, { old, patch });
  throwIfInvalid([
    ...kind.validator.violationsOfChange(old, body, change.requireFields),
    ...ruleViolations(kind, body, at),
    ...storageForm.violations(body),
  ]);
  return { kind, old, body, storageForm };
}

async function planChange(ctx: RequestContext, before: Entity, request: DocumentPatch): Promise<PlannedChange> {
  const { kind, old, body, storageForm } = changedBody(before, request);
  checkVersion(before, request.change);
  const access = await accessOf(ctx, before, request.workspace);
  const parent = parentOf(body);
  const isMoved = parent !== before.parentId;
  const newParent = isMoved && parent !== null ? parent : undefined;
  const references = referencesIn(storageForm.references, body);
  const { id } = before;
  const unfitParent = isMoved ? await parentViolations(ctx, kind, access, { body, id }) : [];
  const violations = [
    ...unfitParent,
    ...(newParent && unfitParent.length === 0 ? await cycleViolations(ctx, { id, parent: newParent }) : []),
    ...(await linkViolations(ctx, kind, access, [{ body, old }])),
  ];
  if (violations.length > 0) throw await unfit(ctx, access, { violations, references });
  const alreadyReferenced = new Set(before.stored('refs') as string[]);
  return { before, old, kind, body, storageForm, access, references, alreadyReferenced, newParent };
}

async function writeVersion(
  ctx: RequestContext,
  { before, old, kind, body, storageForm }: PlannedChange,
  { ids, tx }: Pick<Resolution, 'ids'> & { readonly tx?: Transaction },
): Promise<WriteResult<StoredDocument>> {
  const { body: next, refs, bridge } = storageForm.toStored(body, ids);
  const keptBefore = before.stored('bridge') as DataApiExtras | undefined;
  if (sameJson(old, next) && sameExtras(keptBefore, bridge)) return { kind: 'unchanged' };
  const stored: StoredDocument = {
    ...nextVersion(ctx, before, next),
    parent_id: parentOf(body),
    ...derivedParts(kind, next, refs),
    ...(bridge && { bridge }),
  };
  const { documents } = ctx.writeStores();
  const isReplaced = await documents.replace(before, stored, tx).catch(mapDuplicateKey(kind.rules, next));
  return isReplaced ? { kind: 'written', stored } : CONFLICT;
}

/**
 * Resolves the references. A reference that the document already had, by record id, need not be read: the record cannot be deleted while
 * the document refers to it.
 */
async function resolveOthers(ctx: RequestContext, planned: PlannedChange): Promise<Resolution> {
  const { before, old, storageForm, access, references, alreadyReferenced } = planned;
  if (ctx.sources.now().getTime() - before.createdAt.getTime() < UNSETTLED_MS) return resolve(ctx, access, references);
  const named = referencesIn(storageForm.references, old).map(({ catalog, id }) => `${catalog} ${id}`);
  const same = new Set(named);
  const keptId = ({ catalog, id }: CatalogReference) =>
    id !== undefined && alreadyReferenced.has(id) && same.has(`${catalog} ${id}`) ? id : undefined;
  const others = references.filter((reference) => keptId(reference) === undefined);
  const resolution = await resolve(ctx, access, others);
  const ids = references.map((one) => [one, keptId(one) ?? resolution.ids.get(one) ?? ''] as const);
  return { ...resolution, ids: new Map(ids) };
}

/** How long after its creation a document may still be undone because one of its records was deleted (see deletion-guard.ts). */
const UNSETTLED_MS = 60_000;

/** A caller who may read a document has access to its workspace; the caller's party owns the catalog records that are created. */
async function accessOf(
  ctx: RequestContext,
  { workspaceId }: Entity,
  reading?: Promise<Entity | undefined>,
): Promise<WorkspaceAccess> {
  return workspaceId === null ? accessToOwn(ctx) : accessForWriting(ctx, workspaceId, reading);
}
