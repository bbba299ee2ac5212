import { invalidInput, ServiceError, throwIfInvalid, VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { MAX_BULK } from '../../model/document-types.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { duplicateKeyIndex, duplicateKeyPosition } from '../../store/duplicate-key.ts';
import { EntityTooLarge } from '../../store/entities/entity-size.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import { type CatalogReference, referencesIn, withIds } from '../catalogs/catalog-reference.ts';
import { type Resolution, unfit } from '../catalogs/resolve-references.ts';
import { writeTogether } from '../catalogs/write-with-references.ts';
import type { RequestContext } from '../request/request-context.ts';
import { notAgain } from '../versions/versions.ts';
import { accessForWriting, fenceWorkspace, type WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type DocumentKind, documentKind } from './document-kind.ts';
import { linkViolations } from './linked-documents.ts';
import { firstDocument, inPlace, parentOf, ruleViolations, unfitParent, withMark } from './new-document.ts';
import { mapDuplicateKey } from './rules.ts';
import { extrasByReference, keptExtras, sentExtras } from './storage-form.ts';

export interface NewDocuments {
  readonly workspace: string;
  readonly type: string;
  readonly bodies: readonly JsonObject[];
}

/**
 * Stores many documents in one transaction, or none. Errors name the index of the body; readers see either all of the documents or none,
 * and the result is in the order of the bodies.
 */
export async function createDocuments(
  ctx: RequestContext,
  { workspace, type, bodies: given }: NewDocuments,
): Promise<Entity[]> {
  const stores = ctx.writeStores();
  const kind = documentKind(type);
  const bodies = goodBodies(kind, given, workspace);
  const paths = kind.references.map(({ path, catalog }) => ({ path: ['*', ...path], catalog }));
  const catalogReferences = referencesIn(paths, bodies);
  const extras = extrasByReference(catalogReferences, bodies);
  const access = await accessForWriting(ctx, workspace);
  const parents = new Parents(ctx, kind, access, bodies);
  const placed = bodies.map((body, index) => ({ body, at: `/${index}` }));
  const violations = [...(await parents.violations()), ...(await linkViolations(ctx, kind, access, placed))];
  if (violations.length > 0) throw await unfit(ctx, access, { violations, references: catalogReferences });
  refuseRepeated(kind, bodies);
  const ids = bodies.map(() => ctx.sources.newId());
  const write = async (resolution: Resolution, tx: Transaction) => {
    await fenceWorkspace(ctx, access, tx);
    await parents.fence(tx);
    const found = foundByBody(resolution, bodies.length);
    const stored = withIds(bodies, resolution.ids).map((body, index) => {
      const own = found[index] ?? [];
      const refs = own.map(([, id]) => id);
      const kept = keptExtras(sentExtras(own, extras));
      return withMark(firstDocument(ctx, kind, access, { id: ids[index] ?? '', body, refs, ...kept }));
    });
    await stores.documents.insertMany(stored, tx).catch((error: unknown) => {
      throw takenAt(kind, bodies, error);
    });
    return { kind: 'written', stored } as const;
  };
  const work = { write, alreadyReferenced: new Set<string>(), inTurnFor: access.id };
  return createAllIdempotently(ctx, ids, async () => {
    const { stored } = await writeTogether(ctx, access, catalogReferences, work);
    return stored.map((one) => new WrittenEntity(one));
  });
}

/**
 * Creates the documents once, as `createIdempotently` does for one; an insert that conflicts with an earlier attempt returns its
 * documents.
 */
async function createAllIdempotently(
  ctx: RequestContext,
  ids: readonly string[],
  make: () => Promise<Entity[]>,
): Promise<Entity[]> {
  const { attempt, mayHaveRun } = ctx.sources;
  if (attempt === undefined) return make();
  const before = mayHaveRun?.() ? await createdBefore(ctx, ids) : undefined;
  if (before) return before;
  try {
    return await notAgain(ctx, { collection: ctx.writeStores().documents, ids }, make);
  } catch (error) {
    const late =
      duplicateKeyIndex(error) === undefined && !(error instanceof ServiceError)
        ? undefined
        : await createdBefore(ctx, ids);
    if (late) return late;
    throw error;
  }
}

/** The documents that an earlier attempt created, once majority-committed; CONFLICT if some have since been deleted. */
async function createdBefore(ctx: RequestContext, ids: readonly string[]): Promise<Entity[] | undefined> {
  const { documents } = ctx.writeStores();
  const found = await documents.byIds(ids);
  const there = found.filter((entity) => entity !== undefined);
  const [first] = there;
  if (!first) return undefined;
  await documents.confirm(first);
  if (there.length === ids.length) return there;
  // Bulk writes are atomic: if this one was committed between the two reads, all of it is visible now.
  const again = (await documents.byIds(ids)).filter((entity) => entity !== undefined);
  if (again.length === ids.length) return again;
  throw new ServiceError(
    'CONFLICT',
    `The bulk was stored before under this Idempotency-Key, and ${ids.length - again.length} of its ${ids.length} documents have been deleted since.`,
  );
}

function goodBodies(kind: DocumentKind, given: readonly JsonObject[], workspace: string): JsonObject[] {
  if (given.length === 0) throw invalidInput([{ path: '', message: 'must have at least one body.' }]);
  if (given.length > MAX_BULK) throw invalidInput([{ path: '', message: `must have at most ${MAX_BULK} bodies.` }]);
  const bodies = given.map((body) => inPlace(kind, body, { workspace }));
  const violations: Violation[] = [];
  for (let index = 0; index < bodies.length && violations.length < VIOLATIONS_SOUGHT; index++) {
    const body = bodies[index] ?? {};
    for (const violation of kind.validator.violations(body, true)) violations.push(at(index, violation));
    for (const violation of ruleViolations(kind, body, { workspace })) violations.push(at(index, violation));
  }
  throwIfInvalid(violations);
  return bodies;
}

const at = (index: number, violation: Violation): Violation =>
  'path' in violation ? { path: `/${index}${violation.path}`, message: violation.message } : violation;

/** The parents named by the bodies: each must exist before the transaction, and cannot be deleted during it. */
class Parents {
  readonly #ctx: RequestContext;
  readonly #kind: DocumentKind;
  readonly #workspace: string;
  readonly #byBody: readonly (string | null)[];
  readonly #ids: readonly string[];

  constructor(ctx: RequestContext, kind: DocumentKind, access: WorkspaceAccess, bodies: readonly JsonObject[]) {
    this.#ctx = ctx;
    this.#kind = kind;
    this.#workspace = access.id;
    this.#byBody = bodies.map(parentOf);
    this.#ids = [...new Set(this.#byBody)].filter((id) => id !== null);
  }

  async violations(): Promise<readonly Violation[]> {
    if (this.#ids.length === 0) return [];
    const { parentType } = this.#kind.type;
    const found = await this.#ctx.writeStores().documents.byIds(this.#ids);
    const fits = new Set(
      found
        .filter((parent) => parent?.workspaceId === this.#workspace && (!parentType || parent?.type === parentType))
        .map((parent) => parent?.id),
    );
    const wanted = parentType ? documentKind(parentType).type.noun : 'document';
    return this.#byBody.flatMap((id, index) =>
      id === null || fits.has(id) ? [] : [unfitParent(wanted, `/${index}/parent`, id)],
    );
  }

  /** Writing to the parents excludes their deletion. */
  async fence(tx: Transaction): Promise<void> {
    if (this.#ids.length === 0) return;
    const ctx = this.#ctx;
    const fenced = await ctx.writeStores().documents.fence({ _id: this.#ids }, ctx.sources.now(), tx);
    if (fenced < this.#ids.length) throwIfInvalid(await this.violations());
  }
}

/** The references of each body, with their record ids. */
function foundByBody({ ids }: Resolution, length: number): [CatalogReference, string][][] {
  const found: [CatalogReference, string][][] = Array.from({ length }, () => []);
  for (const entry of ids) found[Number(entry[0].place[0])]?.push(entry);
  return found;
}

/** Throws if two bodies of one bulk request have the same unique value. */
function refuseRepeated({ rules }: DocumentKind, bodies: readonly JsonObject[]): void {
  const first = new Map<string, number>();
  for (const [index, body] of bodies.entries()) {
    const unique = rules.unique(body);
    if (unique === undefined) continue;
    const earlier = first.get(unique);
    if (earlier !== undefined)
      throw placed(rules.taken(body), index, `is the same as in body ${earlier} of this bulk.`);
    first.set(unique, index);
  }
}

/** The error of an insert with a duplicate unique value or an oversized body, with the index of the body. */
function takenAt({ rules }: DocumentKind, bodies: readonly JsonObject[], error: unknown): unknown {
  if (error instanceof EntityTooLarge) return placed(error, error.position, error.message);
  const index = duplicateKeyPosition(error);
  const body = index === undefined ? undefined : bodies[index];
  if (index === undefined || body === undefined) return error;
  try {
    return mapDuplicateKey(rules, body)(error);
  } catch (refusal) {
    return refusal instanceof ServiceError ? placed(refusal, index, refusal.message) : refusal;
  }
}

const placed = ({ code, message }: ServiceError, index: number, violation: string): ServiceError =>
  new ServiceError(code, message, { errors: [{ path: `/${index}`, message: violation }] });
