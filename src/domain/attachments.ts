import { type Fault, notFound } from '../errors.ts';
import { attachmentType } from '../model/entity/attachment-type.ts';
import type { Entity, StoredAttachment } from '../model/entity/entity.ts';
import { FileContent, type IncomingFile, type StoredFile } from '../model/entity/file.ts';
import { fieldsOf } from '../model/fields/fields.ts';
import { whereTableOf } from '../model/fields/where-table.ts';
import type { JsonObject } from '../model/json.ts';
import { WrittenEntity } from '../store/entities/read-entity.ts';
import type { Stores } from '../store/stores.ts';
import { eraseAttachments } from './documents/attachment-removal.ts';
import type { Documents } from './documents/documents.ts';
import type { ListRequest } from './lists/list-request.ts';
import { type Page, readPage } from './lists/page.ts';
import type { Asker } from './request/request-context.ts';
import { refuse } from './validation/validators.ts';
import { checkVersion, type Expectation, firstVersion, once, untilUndisturbed } from './versions/versions.ts';
import { accessTo } from './workspaces/workspace-access.ts';

/** The document of an attachment; one of another workspace or type is NOT_FOUND. */
export interface AttachmentDocument {
  readonly workspace?: string | null | undefined;
  readonly document: string;
  readonly documentType?: string | null | undefined;
}

/** Where an attachment is looked for; one of another workspace or document is NOT_FOUND. */
export interface AttachmentPlace extends Omit<AttachmentDocument, 'document'> {
  readonly id: string;
  readonly document?: string | null | undefined;
}

export interface NewAttachment extends AttachmentDocument {
  /** The id of a file that the caller uploaded for this document. */
  readonly file: string;
  readonly clientReferenceNumber?: string | null | undefined;
  readonly vendorReferenceNumber?: string | null | undefined;
  readonly description?: string | null | undefined;
}

const fields = fieldsOf(attachmentType.schema);
const where = whereTableOf(attachmentType);

/** The most attachments that a document shows at once. */
const MAX_SHOWN = 1000;

/** The files of documents (interface, "Attachment"; contract §9). */
export class Attachments {
  readonly #asker: Asker;
  readonly #documents: Documents;

  constructor(asker: Asker, documents: Documents) {
    this.#asker = asker;
    this.#documents = documents;
  }

  get(place: AttachmentPlace): Promise<Entity> {
    return this.#find(this.#asker.read, place);
  }

  /** The attachments of one document. */
  async list({ workspace, document, documentType, ...request }: ListRequest & AttachmentDocument): Promise<Page> {
    const { attachments } = this.#asker.read;
    const found = await this.#documents.get({ id: document, workspace, type: documentType ?? undefined });
    const scope = { workspace: String(found.home), parent_id: found.id, readers: this.#asker.tenant };
    return readPage(this.#asker, { collection: attachments, fields, where, scope }, request);
  }

  /** The newest `first` attachments of each of the documents. */
  async newestOf(documents: readonly string[], first: number): Promise<Entity[][]> {
    if (first < 1 || first > MAX_SHOWN) refuse([{ parameter: 'first', message: `must be from 1 to ${MAX_SHOWN}.` }]);
    const found = await this.#asker.read.attachments.newestOf(documents, this.#asker.tenant, {
      limit: first,
      ...this.#asker.time,
    });
    const byDocument = Map.groupBy(found, ({ parentId }) => parentId);
    return documents.map((id) => byDocument.get(id) ?? []);
  }

  /** The contents of an attachment's file, to be read whole or in part. */
  content(attachment: Entity): FileContent {
    const { files } = this.#asker.read;
    const file = {
      id: String(attachment.stored('file.id')),
      name: String(attachment.at('caption')),
      mediaType: String(attachment.at('format')),
      size: Number(attachment.at('size')),
      sha256: String(attachment.stored('file.sha256')),
      chunkSize: Number(attachment.stored('file.chunk_size')),
    };
    return new FileContent(file, contentPath(attachment), (range) => files.read(file, range));
  }

  /** Takes in the contents of a file; the document must be there before the first byte is read. */
  async upload(place: AttachmentDocument, file: IncomingFile): Promise<StoredFile> {
    const { files } = this.#asker.write;
    const document = await this.#target(place);
    return files.write(file, this.#purpose(document));
  }

  /** Gives up a file that the caller uploaded and that was attached to nothing. */
  async discard({ document, file }: { readonly document: string; readonly file: string }): Promise<string> {
    const discarded = await this.#asker.write.files.discard(file, this.#purpose({ id: document }));
    if (!discarded) throw notFound('uploaded file', file);
    return file;
  }

  /** Attaches a file that was uploaded; while this runs, the document cannot be deleted without it. */
  async create({ file, clientReferenceNumber, vendorReferenceNumber, description, ...place }: NewAttachment) {
    const asker = this.#asker;
    const { attachments, files } = asker.write;
    const document = await this.#target(place);
    const id = asker.sources.newId();
    const texts = given({ clientReferenceNumber, vendorReferenceNumber, description });
    const made = await once(asker, { collection: attachments, id }, () => this.#attach(document, { id, file, texts }));
    if (made.stored('file.id') !== file) await files.discard(file, this.#purpose(document));
    return made;
  }

  #attach(document: Entity, { id, file, texts }: { id: string; file: string; texts: JsonObject }): Promise<Entity> {
    const asker = this.#asker;
    const { transaction, documents, files, attachments } = asker.write;
    const { workspaceId: workspace, readers } = document;
    return transaction(async (session) => {
      // Writing to the document excludes its deletion: one of the two comes first, and the other sees it.
      const there = await documents.mark({ _id: document.id, workspace }, { $inc: { held: 1 } }, session);
      if (!there) throw notFound('document', document.id);
      const kept = await files.keep(file, this.#purpose(document), session);
      if (!kept) throw notFound('uploaded file', file);
      const body = {
        workspace,
        document: document.id,
        caption: kept.name,
        size: kept.size,
        location: kept.id,
        format: kept.mediaType,
        ...texts,
      };
      const made = { id, type: attachmentType.name, workspace, readers, parent: document.id, body };
      const stored: StoredAttachment = {
        ...firstVersion(asker, made),
        file: { id: kept.id, chunk_size: kept.chunkSize, sha256: kept.sha256 },
      };
      await attachments.insert(stored, session);
      return new WrittenEntity(stored);
    });
  }

  /** Removes an attachment with its file; the answer is its last version. */
  async remove(place: AttachmentPlace, expectation: Expectation = {}): Promise<Entity> {
    const stores = this.#asker.write;
    return untilUndisturbed(async () => {
      const before = await this.#find(stores, place);
      checkVersion(before, expectation);
      const here = { _id: before.id, version_id: before.versionId };
      const files = await stores.transaction((session) => eraseAttachments(stores, here, session));
      if (files.length === 0) return undefined;
      await stores.files.erase(files);
      return before;
    });
  }

  async #find({ attachments }: Stores, { id, workspace, document, documentType }: AttachmentPlace): Promise<Entity> {
    const asker = this.#asker;
    if (documentType && document) await this.#documents.get({ id: document, workspace, type: documentType });
    const found = await attachments.byId(id);
    const fits =
      found !== undefined &&
      (!workspace || found.workspaceId === workspace) &&
      (!document || found.parentId === document);
    if (fits && found.readers.includes(asker.tenant)) return found;
    if (workspace) await accessTo(asker, asker.read, workspace);
    if (fits && found.workspaceId) await accessTo(asker, asker.read, found.workspaceId);
    throw notFound('attachment', id);
  }

  /** The document that a file is to be attached to. */
  async #target({ document, workspace, documentType }: AttachmentDocument): Promise<Entity> {
    const target = await this.#documents.target({ id: document, workspace, type: documentType ?? undefined });
    if (target.workspaceId === null) refuse([NO_WORKSPACE]);
    return target;
  }

  /** An uploaded file can be attached by the one who sent it, to the document that it was sent for. */
  #purpose({ id }: Pick<Entity, 'id'>): string {
    return `${this.#asker.viewer.id} ${id}`;
  }
}

const NO_WORKSPACE: Fault = {
  parameter: 'document',
  message: 'is in no workspace; place it in one first, then attach files.',
};

const contentPath = ({ id, workspaceId, parentId }: Entity): string =>
  `/v2/workspaces/${workspaceId}/documents/${parentId}/attachments/${id}/content`;

const given = (texts: Readonly<Record<string, string | null | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
