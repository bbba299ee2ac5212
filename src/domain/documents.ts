import type { ClientSession } from 'mongodb';
import { forbidden, invalidInput, notFound } from '../errors.ts';
import type { Entity, StoredDocument, Version } from '../model/entity.ts';
import { type JsonObject, sameJson } from '../model/json.ts';
import { withoutReplaced } from '../model/spellings.ts';
import { WrittenEntity } from '../store/read-entity.ts';
import type { Stores } from '../store/stores.ts';
import type { Asker } from './asker.ts';
import { patched } from './body-shape.ts';
import { throughCatalog } from './catalog-filter.ts';
import { type DocumentKind, derivedParts, documentKind } from './document-kind.ts';
import { eraseBelow, eraseTree } from './document-tree.ts';
import { type ListRequest, type Page, readPage } from './page.ts';
import { type Mention, mentionsOf, type Resolution, withIds } from './references.ts';
import { refuse } from './validators.ts';
import { checkVersion, type Expectation, firstVersion, nextVersion, once, untilUndisturbed, visibleTo } from './versions.ts';
import { accessTo, recordsStay, takesEntities, type WorkspaceAccess, workspaceGoing } from './workspace-access.ts';
import { withRecords } from './write-records.ts';

/** Where a document is looked for: with a workspace or type, one of another is NOT_FOUND. */
export interface DocumentPlace {
  readonly id: string;
  readonly workspace?: string | null | undefined;
  readonly type?: string | undefined;
}

export interface NewDocument {
  readonly workspace: string;
  readonly type: string;
  readonly body: JsonObject;
  /** True in v2 and in GraphQL's createDocument: the fields that the document form requires must be there. */
  readonly documentForm: boolean;
}

/** A new document whose body was found good. */
interface CheckedDocument {
  readonly id: string;
  readonly parent: string | null;
  readonly body: JsonObject;
  readonly mentions: readonly Mention[];
}

/** Documents of every type (interface, "Document"; contract §5). */
export class Documents {
  readonly #asker: Asker;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  async get(place: DocumentPlace): Promise<Entity> {
    return (await this.#find(this.#asker.read, place)) ?? this.#missing(place);
  }

  /** The documents of those ids that the caller may see, in the order of the ids. */
  async getMany(ids: readonly string[]): Promise<(Entity | undefined)[]> {
    const { documents } = this.#asker.read;
    return visibleTo(this.#asker, await documents.byIds(ids));
  }

  /** The documents of one type that the caller may see, in one workspace or in all. */
  async list(request: ListRequest & { readonly type: string; readonly workspace?: string | null | undefined }): Promise<Page> {
    const asker = this.#asker;
    const stores = asker.read;
    const { type, fields } = documentKind(request.type);
    const place = { ...(request.workspace && { workspace: request.workspace }), readers: asker.tenant };
    const scope = { ...place, type: type.name };
    const through = throughCatalog(asker, place);
    const page = await readPage(asker, { collection: stores.documents, fields, scope, through }, request);
    // Whoever sees a document of the workspace may see the workspace; an empty list has to be looked into.
    if (page.nodes.length === 0 && request.workspace) await accessTo(asker, stores, request.workspace);
    return page;
  }

  versions(document: Entity): Promise<Version[]> {
    return this.#asker.read.documents.versions(document);
  }

  /** Stores a new document, and the catalog records that it mentions and that do not exist yet, or nothing. */
  async create({ workspace, type, body, documentForm }: NewDocument): Promise<Entity> {
    const asker = this.#asker;
    const stores = asker.write;
    const kind = documentKind(type);
    refuse([...kind.validator.faults(body, documentForm), ...placeFaults(workspace, body)]);
    const mentions = mentionsOf(kind.references, body);
    const access = await accessTo(asker, stores, workspace);
    const parent = parentOf(body);
    await this.#checkParent(kind, access, parent);
    const id = asker.sources.newId();
    const find = () => stores.documents.findOne({ _id: id });
    return once(asker, find, () => untilUndisturbed(() => this.#insert(kind, access, { id, parent, body, mentions })));
  }

  /** Inserts first and looks after: undefined when a record went away meanwhile, and the document was taken back. */
  async #insert(kind: DocumentKind, access: WorkspaceAccess, made: CheckedDocument): Promise<Entity | undefined> {
    const asker = this.#asker;
    const stores = asker.write;
    const write = async (resolution: Resolution, session?: ClientSession) => {
      const stored = this.#firstDocument(kind, access, { ...made, body: withIds(made.body, resolution.ids) }, resolution);
      await stores.documents.insert(stored, session);
      return stored;
    };
    const { written, created } = await withRecords(asker, access, made.mentions, { write });
    const [workspaceStays, recordsAreThere, parentStays] = await Promise.all([
      takesEntities(asker, stores, access.id),
      recordsStay(asker, stores, written.refs),
      made.parent === null || stores.documents.byId(made.parent),
    ]);
    if (workspaceStays && recordsAreThere && parentStays) return new WrittenEntity(written);
    await stores.documents.erase({ _id: made.id });
    await eraseBelow(stores, { ids: [made.id], workspace: access.id });
    await stores.catalogRecords.erase({ _id: { $in: created } });
    if (!workspaceStays) throw workspaceGoing(access.id);
    if (!parentStays) await this.#checkParent(kind, access, made.parent);
    return undefined;
  }

  /** Applies a JSON Merge Patch; a patch that changes nothing makes no new version. */
  async update(place: DocumentPlace, patch: JsonObject, expectation: Expectation = {}): Promise<Entity> {
    const asker = this.#asker;
    const stores = asker.write;
    return untilUndisturbed(async () => {
      const before = await this.#writable(place);
      checkVersion(before, expectation);
      const kind = documentKind(before.type);
      const old = before.body();
      const body = this.#merged(kind, before, old, patch);
      const access = await this.#accessOf(before);
      const parent = parentOf(body);
      if (parent !== before.parentId) await this.#checkParent(kind, access, parent, before.id);
      const mentions = mentionsOf(kind.references, body);
      // Writing to the new parent, in one transaction with the move, excludes its deletion.
      const moves = parent !== null && parent !== before.parentId;
      const move = async (after: StoredDocument, session?: ClientSession): Promise<boolean> => {
        if (moves && !(await stores.documents.mark({ _id: parent }, { $inc: { held: 1 } }, session))) return false;
        return stores.documents.replace(before, after, session);
      };
      const write = async (resolution: Resolution, session?: ClientSession): Promise<StoredDocument | 'same' | 'moved'> => {
        const next = withIds(body, resolution.ids);
        if (sameJson(old, next)) return 'same';
        const after: StoredDocument = {
          ...nextVersion(asker, before, next),
          parent_id: parent,
          ...derivedParts(kind, next, resolution.ids.values()),
        };
        const replaced = moves && !session ? await stores.transaction((own) => move(after, own)) : await move(after, session);
        return replaced ? after : 'moved';
      };
      const held = new Set(before.stored('refs') as string[]);
      const { written } = await withRecords(asker, access, mentions, { write, held, undone: (o) => o === 'moved' });
      if (written === 'moved') return undefined;
      return written === 'same' ? before : new WrittenEntity(written);
    });
  }

  /** Removes a document with everything below it; the answer is its last version. */
  async remove(place: DocumentPlace, expectation: Expectation = {}): Promise<Entity> {
    const stores = this.#asker.write;
    return untilUndisturbed(async () => {
      const before = await this.#writable(place);
      checkVersion(before, expectation);
      return (await eraseTree(stores, before)) && before;
    });
  }

  /** The document of an id, if it is in that place and the caller may see it. */
  async #find({ documents }: Stores, { id, workspace, type }: DocumentPlace): Promise<Entity | undefined> {
    const found = await documents.byId(id);
    const fits =
      found !== undefined &&
      found.readers.includes(this.#asker.tenant) &&
      (!workspace || found.workspace === workspace) &&
      (!type || found.type === documentKind(type).type.name);
    return fits ? found : undefined;
  }

  async #writable(place: DocumentPlace): Promise<Entity> {
    return (await this.#find(this.#asker.write, place)) ?? this.#missing(place);
  }

  /** Tells why a document was not found: its workspace is foreign or missing, or there is no such document here. */
  async #missing(place: DocumentPlace): Promise<never> {
    const { asker, stores } = { asker: this.#asker, stores: this.#asker.read };
    const noun = place.type ? documentKind(place.type).type.noun : 'document';
    if (place.workspace) await accessTo(asker, stores, place.workspace);
    else if ((await stores.documents.countWhere(within(place), 1)) > 0) {
      throw forbidden(`The ${noun} ${place.id} is in a workspace that your tenant is not a party of.`);
    }
    throw notFound(noun, place.id);
  }

  #merged(kind: DocumentKind, before: Entity, old: JsonObject, patch: JsonObject): JsonObject {
    const kept = withoutReplaced(kind.validator.keyed, old, patch);
    const merged = patched(kept, patch);
    refuse([...kind.validator.faultsOfChange(old, merged), ...placeFaults(before.workspace, merged)]);
    return before.workspace === null ? merged : inPlace(merged, before.workspace, parentOf(merged));
  }

  /** Whoever may see a document may see its workspace; its party decides who owns new catalog records. */
  #accessOf(document: Entity): Promise<WorkspaceAccess> {
    if (document.workspace === null) {
      return Promise.resolve({ id: '', readers: document.readers, owner: '', parties: [] });
    }
    return accessTo(this.#asker, this.#asker.write, document.workspace);
  }

  async #checkParent({ type }: DocumentKind, { id: workspace }: WorkspaceAccess, parent: string | null, self?: string): Promise<void> {
    if (parent === null) return;
    const found = parent === self ? undefined : await this.#asker.write.documents.findOne({ _id: parent, workspace });
    const fits = found && (type.parentType === undefined || found.type === type.parentType);
    if (fits) return;
    const wanted = type.parentType ? documentKind(type.parentType).type.noun : 'document';
    throw invalidInput([{ path: '/parent', message: `${parent} is not another ${wanted} of this workspace.` }]);
  }

  #firstDocument(
    kind: DocumentKind,
    access: WorkspaceAccess,
    { id, parent, body }: { readonly id: string; readonly parent: string | null; readonly body: JsonObject },
    { ids }: Resolution,
  ): StoredDocument {
    const whole = inPlace(body, access.id, parent);
    const { workspace, readers } = { workspace: access.id, readers: access.readers };
    return {
      ...firstVersion(this.#asker, { id, type: kind.type.name, workspace, readers, parent, body: whole }),
      ...derivedParts(kind, whole, ids.values()),
    };
  }
}

const within = ({ id, workspace, type }: DocumentPlace) => ({
  _id: id,
  ...(workspace && { workspace }),
  ...(type && { type: documentKind(type).type.name }),
});

const parentOf = (body: JsonObject): string | null =>
  typeof body.parent === 'string' ? body.parent.toLowerCase() : null;

/** A body as it is kept: it names its workspace, and its parent in the form that the envelope has. */
const inPlace = (body: JsonObject, workspace: string, parent: string | null): JsonObject => ({
  workspace,
  ...body,
  ...(Object.hasOwn(body, 'workspace') && { workspace }),
  ...(parent !== null && { parent }),
});

/** A body may name its workspace, but no other than the one that it is written to. */
function placeFaults(workspace: string | null, body: JsonObject) {
  const named = body.workspace;
  if (typeof named !== 'string' || workspace === null || named.toLowerCase() === workspace) return [];
  return [{ path: '/workspace', message: `must be ${workspace}, the workspace that the document is in.` }];
}
