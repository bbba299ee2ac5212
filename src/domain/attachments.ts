import { notFound, ServiceError, throwIfInvalid, type Violation } from '../errors.ts';
import { attachmentType } from '../model/entity/attachment-type.ts';
import type { Entity, StoredAttachment } from '../model/entity/entity.ts';
import { type ByteRange, FileContent, type IncomingFile, type StoredFile } from '../model/entity/file.ts';
import { fieldsOf } from '../model/fields/fields.ts';
import { whereTableOf } from '../model/fields/where-table.ts';
import type { JsonObject } from '../model/json.ts';
import { type RawEntity, WrittenEntity } from '../store/entities/read-entity.ts';
import { MissingChunk } from '../store/files/chunk-reader.ts';
import type { HeldFile } from '../store/files/held-files.ts';
import type { KeptFile } from '../store/files/kept-file.ts';
import type { Stores } from '../store/stores.ts';
import type { Transaction } from '../store/transactions/transaction.ts';
import { eraseAttachments, withdrawAttachments } from './deletion/erase-attachments.ts';
import { eraseBelow } from './deletion/erase-tree.ts';
import { documentKind } from './documents/document-kind.ts';
import type { Documents } from './documents/documents.ts';
import type { ListRequest } from './lists/list-request.ts';
import { checkPage, type Page, readPage } from './lists/page.ts';
import type { RequestContext } from './request/request-context.ts';
import { rangeViolations } from './validation/ranges.ts';
import {
  checkVersion,
  createIdempotently,
  type Expectation,
  firstVersion,
  retryOnConflict,
} from './versions/versions.ts';
import { accessForWriting, accessTo, rememberedAccess } from './workspaces/workspace-access.ts';

/** The document of an attachment; NOT_FOUND if it belongs to another workspace or is of another type. */
export interface AttachmentDocument {
  readonly workspace?: string | null | undefined;
  readonly document: string;
  readonly documentType?: string | null | undefined;
}

/** Identifies an attachment; NOT_FOUND if it belongs to another workspace or document, or to a document of another type. */
interface AttachmentPlace extends Omit<AttachmentDocument, 'document'> {
  readonly id: string;
  readonly document?: string | null | undefined;
}

interface NewAttachment extends AttachmentDocument {
  /** The id of a file that the caller uploaded for this document. */
  readonly file: string;
  readonly clientReferenceNumber?: string | null | undefined;
  readonly vendorReferenceNumber?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** A file to attach to a document. */
interface AttachedFile {
  readonly id: string;
  /** A new file, or the id of a stored one. */
  readonly file: HeldFile | string;
  readonly texts: JsonObject;
}

const fields = fieldsOf(attachmentType.schema);
const where = whereTableOf(attachmentType);

/** For this long, further parts of a file read by the same client count as the same download. */
const PARTS_MS = 15 * 60_000;

/** Maximum number of attachments that a document shows at once. */
const MAX_SHOWN = 1000;

/** The files of documents (interface, "Attachment"; contract §9). */
export class Attachments {
  readonly #ctx: RequestContext;
  readonly #documents: Documents;

  constructor(ctx: RequestContext, documents: Documents) {
    this.#ctx = ctx;
    this.#documents = documents;
  }

  get(place: AttachmentPlace): Promise<Entity> {
    return this.#find(this.#ctx.readStores(), place);
  }

  /** The attachments of one document. */
  async list({ workspace, document, documentType, ...request }: ListRequest & AttachmentDocument): Promise<Page> {
    const { attachments } = this.#ctx.readStores();
    const found = await this.#documents.get({ id: document, workspace, type: typeGiven(documentType) });
    const scope = { workspace: String(found.partition), parent_id: found.id, readers: this.#ctx.tenant };
    return readPage(this.#ctx, { collection: attachments, fields, where, scope }, request);
  }

  /** Throws INVALID_INPUT for arguments that are invalid for any list of attachments. */
  checkList({ documentType, ...request }: ListRequest & Partial<AttachmentDocument>): void {
    checkPage({ fields, where }, request);
    typeGiven(documentType);
  }

  /** INVALID_INPUT if more attachments are asked for than a document can show. */
  checkNumber(first: number): void {
    throwIfInvalid(rangeViolations({ first }, [1, MAX_SHOWN]));
  }

  /** The newest `first` attachments of each document. */
  async newestOf(documents: readonly string[], first: number): Promise<Entity[][]> {
    this.checkNumber(first);
    const { attachments } = this.#ctx.readStores();
    const found = await this.#ctx.rows.read(
      () => attachments.newestOf(documents, this.#ctx.tenant, { limit: first, ...this.#ctx.time }),
      (rows) => rows,
    );
    const byDocument = Map.groupBy(found, ({ parentId }) => parentId);
    return documents.map((id) => byDocument.get(id) ?? []);
  }

  /** The contents of an attachment's file, readable whole or in part; `basePath` is prefixed to their path. */
  content(attachment: Entity, basePath: string): FileContent {
    const { files } = this.#ctx.readStores();
    const file = {
      id: String(attachment.stored('file.id')),
      name: String(attachment.at('caption')),
      mediaType: String(attachment.at('format')),
      size: Number(attachment.at('size')),
      sha256: String(attachment.stored('file.sha256')),
      chunkSize: Number(attachment.stored('file.chunk_size')),
    };
    const read = (range?: ByteRange) =>
      this.#noted(attachment, files.read(file, this.#ctx.reader, range), range !== undefined);
    return new FileContent(file, basePath + contentPath(attachment), read);
  }

  /** Records the download in the audit log once the first bytes are read; NOT_FOUND if the file is deleted meanwhile. */
  async *#noted(attachment: Entity, pieces: AsyncIterable<Uint8Array>, isPart: boolean): AsyncGenerator<Uint8Array> {
    let isNoted = false;
    try {
      for await (const piece of pieces) {
        if (!isNoted) this.#ctx.note('file.downloaded', attachment.id, isPart ? { onceInMs: PARTS_MS } : {});
        isNoted = true;
        yield piece;
      }
    } catch (error) {
      const isDamaged = !(error instanceof MissingChunk) || (await this.#isKept(attachment));
      throw isDamaged ? error : new ServiceError('NOT_FOUND', 'The file was deleted while it was read.');
    }
    if (!isNoted) this.#ctx.note('file.downloaded', attachment.id);
  }

  #isKept(attachment: Entity): Promise<boolean> {
    return this.#ctx.readStores().files.isKept(String(attachment.stored('file.id')));
  }

  /** Stores an uploaded file; the document must exist before the first byte is read. */
  async upload(place: AttachmentDocument, file: IncomingFile): Promise<StoredFile> {
    const { files } = this.#ctx.writeStores();
    const document = await this.#getWritable(place);
    return files.write(await this.#withinQuota(file), this.#purpose(document), document);
  }

  /** A file whose bytes end with QUOTA_EXCEEDED once they exceed what is left of the tenant's quota. */
  async #withinQuota(file: IncomingFile): Promise<IncomingFile> {
    const { usage } = this.#ctx.writeStores();
    const { tenant } = this.#ctx;
    const left = usage.isKept ? await usage.left('fileBytes', tenant) : Number.POSITIVE_INFINITY;
    if (left === Number.POSITIVE_INFINITY) return file;
    const bytes = async function* () {
      let size = 0;
      for await (const piece of file.bytes) {
        size += piece.length;
        if (size > left) throw await usage.exceeded('fileBytes', tenant, size);
        yield piece;
      }
    };
    return { ...file, bytes: bytes() };
  }

  /** Discards a file that the caller uploaded but did not attach. */
  async discard({ document, file }: { readonly document: string; readonly file: string }): Promise<string> {
    const discarded = await this.#ctx.writeStores().files.discard(file, this.#purpose({ id: document }));
    if (!discarded) throw notFound('uploaded file', file);
    return file;
  }

  /** Attaches an uploaded file; if the document is deleted meanwhile, the file goes with it (see deletion-guard.ts). */
  async create({ file, clientReferenceNumber, vendorReferenceNumber, description, ...place }: NewAttachment) {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    const { attachments, files } = stores;
    const held = files.takeHeld(file, this.#purpose({ id: place.document }));
    const document = await this.#getWritable(place, held?.document);
    const { workspaceId } = document;
    if (workspaceId !== null && !rememberedAccess(ctx, workspaceId)) await accessForWriting(ctx, workspaceId);
    const id = ctx.sources.newId();
    const texts = given({ clientReferenceNumber, vendorReferenceNumber, description });
    const stays = () => this.#stays(document);
    const made = await createIdempotently(
      ctx,
      { collection: attachments, id, stays, takeBack: withdrawAttachments(stores) },
      () => this.#attach(document, { id, file: held ?? file, texts }),
    );
    if (!held && made.stored('file.id') !== file) await files.discard(file, this.#purpose(document));
    return made;
  }

  /** Stores the attachment, then checks that its document still exists. */
  async #attach(document: Entity, { id, file, texts }: AttachedFile): Promise<Entity> {
    const ctx = this.#ctx;
    const { transaction, files, attachments } = ctx.writeStores();
    const { workspaceId: workspace, readers } = document;
    const storedFor = (kept: KeptFile): StoredAttachment => {
      const shown = { caption: kept.name, size: kept.size, location: kept.id, format: kept.mediaType };
      const body = { workspace, document: document.id, ...shown, ...texts };
      const made = { id, type: attachmentType.name, workspace, readers, parent: document.id, body };
      return {
        ...firstVersion(ctx, made),
        file: { id: kept.id, chunk_size: kept.chunkSize, sha256: kept.sha256 },
      };
    };
    const keep = async (loose: string, tx: Transaction): Promise<StoredAttachment> => {
      const kept = await files.keep(loose, this.#purpose(document), tx);
      if (!kept) throw notFound('uploaded file', loose);
      const stored = storedFor(kept);
      await attachments.insert(stored, tx);
      return stored;
    };
    const stored = typeof file === 'string' ? await transaction((tx) => keep(file, tx)) : storedFor(file);
    if (typeof file !== 'string') await attachments.insertWithFile(stored, file);
    if (await this.#stays(document)) return new WrittenEntity(stored);
    if (workspace !== null) await accessTo(ctx, ctx.writeStores(), workspace); // a missing workspace is reported first
    throw notFound('document', document.id);
  }

  /** Whether the document of a stored attachment still exists; if not, erases the attachment and all else left below the document. */
  async #stays({ id, workspaceId: workspace }: Entity): Promise<boolean> {
    const stores = this.#ctx.writeStores();
    if (await stores.documents.marks.one(id)) return true;
    await eraseBelow(stores, { ids: [id], workspace });
    return false;
  }

  /** Removes an attachment with its file; returns its last version. */
  async remove(place: AttachmentPlace, expectation: Expectation = {}): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    return retryOnConflict(this.#ctx, place.id, async () => {
      const before = await this.#find(stores, place);
      checkVersion(before, expectation);
      const here = { _id: before.id, version_id: before.versionId };
      const files = await stores.transaction((tx) => eraseAttachments(stores, here, this.#ctx.deletionIn(tx)));
      if (files.length === 0) return undefined;
      await stores.files.erase(files);
      return before;
    });
  }

  async #find(stores: Stores, { id, workspace, document, documentType }: AttachmentPlace): Promise<Entity> {
    const ctx = this.#ctx;
    const type = typeGiven(documentType);
    if (type && document) await this.#documents.find(stores, { id: document, workspace, type });
    const found = await stores.attachments.byId(id);
    const fits =
      found !== undefined &&
      (!workspace || found.workspaceId === workspace) &&
      (!document || found.parentId === document);
    if (fits && found.readers.includes(ctx.tenant)) {
      if (type && !document) await this.#documents.find(stores, { id: String(found.parentId), type });
      return found;
    }
    for (const place of [workspace, fits && found.workspaceId]) {
      if (place) await accessTo(ctx, stores, { workspace: place, entity: id });
    }
    throw notFound('attachment', id);
  }

  /** The document that a file is to be attached to. */
  async #getWritable({ document, workspace, documentType }: AttachmentDocument, known?: RawEntity): Promise<RawEntity> {
    const place = { id: document, workspace, type: typeGiven(documentType) };
    const target = await this.#documents.getWritable(place, known);
    if (target.workspaceId === null) throwIfInvalid([NO_WORKSPACE]);
    return target;
  }

  /** An uploaded file can be attached only by its uploader, and only to the document it was uploaded for. */
  #purpose({ id }: Pick<Entity, 'id'>): string {
    return `${this.#ctx.viewer.id} ${id}`;
  }
}

/** The name of a document type, if given; INVALID_INPUT if there is no such type. */
const typeGiven = (name: string | null | undefined): string | undefined =>
  name == null ? undefined : documentKind(name, 'documentType').type.name;

const NO_WORKSPACE: Violation = {
  parameter: 'document',
  message: 'is in no workspace; place it in one first, then attach files.',
};

const contentPath = ({ id, workspaceId, parentId }: Entity): string =>
  `/v2/workspaces/${workspaceId}/documents/${parentId}/attachments/${id}/content`;

const given = (texts: Readonly<Record<string, string | null | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
