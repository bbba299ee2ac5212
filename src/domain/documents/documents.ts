import { forbidden, notFound } from '../../errors.ts';
import type { Entity, StoredDocument } from '../../model/entity/entity.ts';
import { withoutReplaced } from '../../model/fields/spellings.ts';
import { type JsonObject, sameJson } from '../../model/json.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transaction.ts';
import { referencesIn } from '../catalogs/catalog-reference.ts';
import type { Resolution } from '../catalogs/resolve-references.ts';
import { writeWithReferences } from '../catalogs/write-with-references.ts';
import type { ListRequest } from '../lists/list-request.ts';
import { type Page, readPage } from '../lists/page.ts';
import type { RequestContext } from '../request/request-context.ts';
import { patched } from '../validation/body-shape.ts';
import { throwIfInvalid } from '../validation/validators.ts';
import { checkVersion, type Expectation, nextVersion, retryOnConflict } from '../versions/versions.ts';
import { accessTo, accessToOwn, type WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { addDocument, checkParent } from './create.ts';
import { createDocuments, type NewDocuments } from './create-many.ts';
import { derivedParts, documentKind } from './document-kind.ts';
import { inPlace, parentOf, ruleFaults } from './new-document.ts';
import { mapDuplicateKey } from './rules.ts';
import { resolvedForm, storageFormOf } from './storage-form.ts';
import { eraseTree } from './tree.ts';

/** Where a document is looked for: with a workspace or type, one of another is NOT_FOUND. */
export interface DocumentPlace {
  readonly id: string;
  readonly workspace?: string | null | undefined;
  readonly type?: string | undefined;
  readonly parent?: string | null | undefined;
}

export interface NewDocument {
  readonly workspace: string;
  readonly type: string;
  /** The parent that the path names; NOT_FOUND when it is not there. */
  readonly parent?: string | null | undefined;
  readonly body: JsonObject;
  /** True in v2 and in GraphQL's createDocument: the fields that the document form requires must be there. */
  readonly documentForm: boolean;
}

/** What a change expects, and by whose form it is checked. */
export interface Change extends Expectation {
  /** False in the legacy form: required fields may be removed. */
  readonly documentForm?: boolean;
}

/** Documents of every type (interface, "Document"; contract §5). */
export class Documents {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  async get(place: DocumentPlace): Promise<Entity> {
    return (await this.#find(this.#ctx.readStores(), place)) ?? this.#missing(place);
  }

  /** The document of an id, if there is one that the caller may see. */
  look(id: string): Promise<Entity | undefined> {
    return this.#ctx.readStores().documents.visible(id, this.#ctx.tenant);
  }

  /** The documents of one type that the caller may see, in one workspace or in all, or below one parent. */
  async list(request: ListRequest & Omit<DocumentPlace, 'id'> & { readonly type: string }): Promise<Page> {
    const ctx = this.#ctx;
    const stores = ctx.readStores();
    const { type, fields, where } = documentKind(request.type);
    const { workspace, parent } = request;
    const place = { ...(workspace && { workspace }), readers: ctx.tenant };
    const scope = { ...place, type: type.name, ...(parent && { parent_id: parent }) };
    const page = await readPage(ctx, { collection: stores.documents, fields, where, scope }, request);
    // Whoever sees a document of the workspace may see the workspace and the parent; an empty list has to be looked into.
    if (page.nodes.length === 0 && workspace) await accessTo(ctx, stores, workspace);
    if (page.nodes.length === 0 && parent) await this.get({ id: parent, workspace, type: type.parentType });
    return page;
  }

  /** Stores a new document, and the catalog records that it refers to and that do not exist yet, or nothing. */
  async create({ workspace, type, parent, body: given, documentForm }: NewDocument): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    const kind = documentKind(type);
    const place = { workspace, parent };
    const body = inPlace(given, place);
    throwIfInvalid([...kind.validator.faults(body, documentForm), ...ruleFaults(kind, body, place)]);
    return addDocument(ctx, kind, accessTo(ctx, stores, workspace), { place, body, storageForm: resolvedForm(kind) });
  }

  /** Stores many documents of one type, with the records that they refer to, or nothing; in the order of the bodies. */
  createMany(made: NewDocuments): Promise<Entity[]> {
    return createDocuments(this.#ctx, made);
  }

  /** Applies a JSON Merge Patch; a patch that changes nothing makes no new version. */
  async update(place: DocumentPlace, patch: JsonObject, change: Change = {}): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    return retryOnConflict(async () => {
      const before = await this.#writable(place);
      const kind = documentKind(before.type);
      const old = before.content();
      const kept = withoutReplaced(kind.validator.keyed, old, patch);
      const at = { workspace: before.workspaceId, parent: place.parent };
      const body = inPlace(patched(kept, patch), at);
      const storageForm = storageFormOf(kind, before, old);
      throwIfInvalid([
        ...kind.validator.faultsOfChange(old, body, change.documentForm),
        ...ruleFaults(kind, body, at),
        ...storageForm.faults(body),
      ]);
      checkVersion(before, change);
      const access = await this.#accessOf(before);
      const parent = parentOf(body);
      if (parent !== before.parentId) await checkParent(ctx, kind, access, { body, id: before.id });
      const catalogReferences = referencesIn(storageForm.references, body);
      // Writing to the new parent, in one transaction with the move, excludes its deletion.
      const moves = parent !== null && parent !== before.parentId;
      const move = async (after: StoredDocument, tx?: Transaction): Promise<boolean> => {
        if (moves && tx && (await stores.documents.fence({ _id: parent }, ctx.sources.now(), tx)) === 0) return false;
        return stores.documents.replace(before, after, tx);
      };
      const write = async (resolution: Resolution, tx?: Transaction): Promise<StoredDocument | 'same' | 'moved'> => {
        const { body: next, refs, bridge } = storageForm.toStored(body, resolution.ids);
        if (sameJson(old, next)) return 'same';
        const after: StoredDocument = {
          ...nextVersion(ctx, before, next),
          parent_id: parent,
          ...derivedParts(kind, next, refs),
          ...(bridge && { bridge }),
        };
        const replace = moves && !tx ? stores.transaction((own) => move(after, own)) : move(after, tx);
        return (await replace.catch(mapDuplicateKey(kind.rules, next))) ? after : 'moved';
      };
      const held = new Set(before.stored('refs') as string[]);
      const written = await writeWithReferences(ctx, access, catalogReferences, {
        write,
        held,
        undone: (o) => o === 'moved',
      });
      if (written === 'moved') return undefined;
      return written === 'same' ? stores.documents.confirm(before) : new WrittenEntity(written);
    });
  }

  /** Removes a document with everything below it; the answer is its last version. */
  async remove(place: DocumentPlace, expectation: Expectation = {}): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    return retryOnConflict(async () => {
      const before = await this.#writable(place);
      checkVersion(before, expectation);
      return (await eraseTree(stores, before)) && before;
    });
  }

  /** The document of an id, if it is in that place and the caller may see it. */
  async #find({ documents }: Stores, { id, workspace, type, parent }: DocumentPlace): Promise<Entity | undefined> {
    const found = await documents.byId(id);
    const fits =
      found?.readers.includes(this.#ctx.tenant) &&
      (!workspace || found.workspaceId === workspace) &&
      (!parent || found.parentId === parent) &&
      (!type || found.type === documentKind(type).type.name);
    return fits ? found : undefined;
  }

  /** The document that something is to be added to; FORBIDDEN without the scope for it. */
  target(place: DocumentPlace): Promise<Entity> {
    return this.#writable(place);
  }

  async #writable(place: DocumentPlace): Promise<Entity> {
    return (await this.#find(this.#ctx.writeStores(), place)) ?? this.#missing(place);
  }

  /** Tells why a document was not found: its workspace is foreign or missing, or there is no such document here. */
  async #missing(place: DocumentPlace): Promise<never> {
    const { ctx, stores } = { ctx: this.#ctx, stores: this.#ctx.readStores() };
    const noun = place.type ? documentKind(place.type).type.noun : 'document';
    if (place.workspace) await accessTo(ctx, stores, place.workspace);
    else if (await stores.documents.hasAny(within(place))) {
      throw forbidden(`The ${noun} ${place.id} belongs to others: your tenant is not a party of its workspace.`);
    }
    throw notFound(noun, place.id);
  }

  /** Whoever may see a document may see its workspace; its party decides who owns new catalog records. */
  #accessOf(document: Entity): Promise<WorkspaceAccess> {
    if (document.workspaceId === null) return Promise.resolve(accessToOwn(this.#ctx));
    return accessTo(this.#ctx, this.#ctx.writeStores(), document.workspaceId);
  }
}

const within = ({ id, workspace, type, parent }: DocumentPlace) => ({
  _id: id,
  ...(workspace && { workspace }),
  ...(parent && { parent_id: parent }),
  ...(type && { type: documentKind(type).type.name }),
});
