import { notFound, ServiceError, throwIfInvalid, type Violation } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { type RawEntity, WrittenEntity } from '../../store/entities/read-entity.ts';
import type { Stores } from '../../store/stores.ts';
import { eraseDocument } from '../deletion/erase-together.ts';
import type { ListRequest } from '../lists/list-request.ts';
import { checkPage, FAR, type Page, readPage } from '../lists/page.ts';
import { partitionsOf } from '../lists/partitions.ts';
import type { RequestContext } from '../request/request-context.ts';
import { checkVersion, type Expectation, retryOnConflict } from '../versions/versions.ts';
import { accessForWriting, accessTo, expectedAccess, rememberedAccess } from '../workspaces/workspace-access.ts';
import { type Change, changeDocument, changedBody } from './change.ts';
import { addDocument } from './create.ts';
import { createDocuments, type NewDocuments } from './create-many.ts';
import { documentKind, documentKinds } from './document-kind.ts';
import { inPlace, ruleViolations } from './new-document.ts';
import { resolvedForm } from './storage-form.ts';

/** Identifies a document; if it is not in the given workspace, type or parent, it is NOT_FOUND. */
export interface DocumentPlace {
  readonly id: string;
  readonly workspace?: string | null | undefined;
  readonly type?: string | undefined;
  readonly parent?: string | null | undefined;
}

interface NewDocument {
  readonly workspace: string;
  readonly type: string;
  /** The parent in the path; NOT_FOUND if it does not exist. */
  readonly parent?: string | null | undefined;
  readonly body: JsonObject;
  /** Whether the fields that the type requires in the document form must be present. */
  readonly requireFields: boolean;
}

/** Documents of every type (interface, "Document"; contract §5). */
export class Documents {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  async get(place: DocumentPlace): Promise<Entity> {
    return this.find(this.#ctx.readStores(), place);
  }

  /** Like `get`, for stores whose scope has already been checked. */
  async find(stores: Stores, place: DocumentPlace): Promise<Entity> {
    const found = await stores.documents.byId(place.id);
    return found && this.#isAt(found, place) ? found : this.#missing(stores, place);
  }

  /** The document with this id, if it exists and the caller may read it. */
  findVisible(id: string): Promise<Entity | undefined> {
    return this.#ctx.readStores().documents.visible(id, this.#ctx);
  }

  /** Throws INVALID_INPUT for arguments that are invalid for any list of the type. */
  checkList({ type, ...request }: ListRequest & { readonly type: string }): void {
    checkPage(documentKind(type), request);
  }

  /** The documents of one type that the caller may read: in one workspace, in all, or of one parent. */
  async list(request: ListRequest & Omit<DocumentPlace, 'id'> & { readonly type: string }): Promise<Page> {
    const ctx = this.#ctx;
    const stores = ctx.readStores();
    const { type, fields, where } = documentKind(request.type);
    const { workspace, parent } = request;
    const place = { ...(workspace && { workspace }), readers: ctx.tenant };
    const scope = { ...place, type: type.name, ...(parent && { parent_id: parent }) };
    // Whoever may read one document of a workspace may read them all: counts and distant offsets need no check per document.
    const indexed = workspace ? { workspace, type: type.name, ...(parent && { parent_id: parent }) } : undefined;
    const isFar = indexed && (request.offset ?? 0) >= FAR;
    if (isFar && !expectedAccess(ctx, indexed.workspace)) await accessTo(ctx, stores, indexed.workspace);
    const hiding = workspace ? undefined : await partitionsOf(ctx, request);
    const page = await readPage(ctx, { collection: stores.documents, fields, where, scope, indexed, hiding }, request);
    // A document in the list proves access to the workspace and parent; if the list is empty, both are checked.
    if (page.nodes.length === 0 && workspace) await accessTo(ctx, stores, workspace);
    if (page.nodes.length === 0 && parent) await this.get({ id: parent, workspace, type: type.parentType });
    return page;
  }

  /** Throws INVALID_INPUT for a type that does not exist. */
  checkType(type: string): void {
    documentKind(type);
  }

  /** Throws INVALID_INPUT for a patch that is invalid for the document, or for any of its type if the caller cannot read it. */
  async checkPatch({ id, ...at }: PatchedPlace, patch: JsonObject, change: Change): Promise<void> {
    const place = id === undefined ? undefined : { ...at, id };
    const found = place && (await this.findVisible(place.id));
    if (found && this.#isAt(found, place)) changedBody(found, { patch, parent: at.parent, change });
    else throwIfInvalid(patchViolations(at, patch));
  }

  /** Stores a new document and the missing catalog records it refers to, or nothing. */
  async create({ workspace, type, parent, body: given, requireFields }: NewDocument): Promise<Entity> {
    const ctx = this.#ctx;
    ctx.writeStores(); // the scope is checked before the body
    const kind = documentKind(type);
    const place = { workspace, parent };
    const body = inPlace(kind, given, place);
    throwIfInvalid([...kind.validator.violations(body, requireFields), ...ruleViolations(kind, body, place)]);
    const made = { place, body, storageForm: resolvedForm(kind) };
    const remembered = rememberedAccess(ctx, workspace);
    if (!remembered) return addDocument(ctx, kind, accessForWriting(ctx, workspace), made);
    return addDocument(ctx, kind, remembered, made).catch(async (error: unknown) => {
      if (error instanceof ServiceError) await accessTo(ctx, ctx.writeStores(), workspace); // a deleted workspace is reported first
      throw error;
    });
  }

  /** Stores many documents of one type and the missing catalog records they refer to, or nothing; returned in the order of the bodies. */
  createMany(made: NewDocuments): Promise<Entity[]> {
    return createDocuments(this.#ctx, made);
  }

  /** Applies a JSON Merge Patch; a patch that changes nothing creates no version. */
  async update(place: DocumentPlace, patch: JsonObject, change: Change = {}): Promise<Entity> {
    const ctx = this.#ctx;
    let ahead = place.workspace ? ctx.writeStores().workspaces.byId(place.workspace) : undefined;
    ahead?.catch(() => {}); // whoever awaits it gets the error; perhaps nobody does
    return retryOnConflict(ctx, place.id, async () => {
      const workspace = ahead;
      ahead = undefined; // a retry reads it again
      const before = await this.getWritable(place).catch((error: unknown) => {
        throwIfInvalid(patchViolations(place, patch)); // errors in the body are reported before a missing document
        throw error;
      });
      const result = await changeDocument(ctx, before, { patch, parent: place.parent, change, workspace });
      if (result.kind === 'conflict') return undefined;
      return result.kind === 'written' ? new WrittenEntity(result.stored) : ctx.writeStores().documents.confirm(before);
    });
  }

  /** Deletes a document with everything below it, and returns its last version. */
  async remove(place: DocumentPlace, expectation: Expectation = {}): Promise<Entity> {
    return retryOnConflict(this.#ctx, place.id, async () => {
      const before = await this.getWritable(place);
      checkVersion(before, expectation);
      return (await eraseDocument(this.#ctx, before)) && before;
    });
  }

  /** Whether the document is in that place and the caller may read it. */
  #isAt(found: Entity, { workspace, type, parent }: DocumentPlace): boolean {
    return (
      found.readers.includes(this.#ctx.tenant) &&
      (!workspace || found.workspaceId === workspace) &&
      (!parent || found.parentId === parent) &&
      (type === undefined || found.type === documentKind(type).type.name)
    );
  }

  /**
   * Like `get`, for a caller about to write to the document; FORBIDDEN without the scope `write`. `known` is the document as already
   * read, for callers that check afterwards that it still exists.
   */
  async getWritable(place: DocumentPlace, known?: RawEntity): Promise<RawEntity> {
    const stores = this.#ctx.writeStores();
    const found = known ?? (await stores.documents.byId(place.id));
    return found && this.#isAt(found, place) ? found : this.#missing(stores, place);
  }

  /** Throws the reason why a document was not found: a foreign or missing workspace, or no such document there. */
  async #missing(stores: Stores, place: DocumentPlace): Promise<never> {
    const ctx = this.#ctx;
    const noun = place.type === undefined ? 'document' : documentKind(place.type).type.noun;
    if (place.workspace) await accessTo(ctx, stores, { workspace: place.workspace, entity: place.id });
    else if (await stores.documents.hasAny(within(place))) {
      const why = `The ${noun} ${place.id} belongs to others: your tenant is not a party of its workspace.`;
      throw ctx.refusedAccess(place.id, why);
    }
    throw notFound(noun, place.id);
  }
}

/** The errors of a patch for any document of the type; if the path gives no type, those of the best-fitting type. */
function patchViolations({ type }: Pick<DocumentPlace, 'type'>, patch: JsonObject): Violation[] {
  const possible = type === undefined ? documentKinds() : [documentKind(type)];
  const faults = possible.map(({ validator }) => validator.violationsOfPatch(patch));
  return faults.reduce((fewest, one) => (one.length < fewest.length ? one : fewest));
}

/** The place of a document to change; the id is undefined if it is unknown. */
type PatchedPlace = Omit<DocumentPlace, 'id'> & { readonly id: string | undefined };

const within = ({ id, workspace, type, parent }: DocumentPlace) => ({
  _id: id,
  ...(workspace && { workspace }),
  ...(parent && { parent_id: parent }),
  ...(type !== undefined && { type: documentKind(type).type.name }),
});
