import type { Viewer } from '../auth/viewer.ts';
import { unauthenticated } from '../errors.ts';
import type { Stores } from '../store/stores.ts';
import { Attachments } from './attachments.ts';
import { AuditTrail } from './audit-trail.ts';
import { CatalogRecords } from './catalogs/catalog-records.ts';
import { Synonyms } from './catalogs/synonyms.ts';
import { DataApiJobs } from './data-api-jobs/data-api-jobs.ts';
import { DeletedDocuments } from './deletion/deleted-documents.ts';
import { Documents } from './documents/documents.ts';
import { RelatedDocuments } from './documents/related-documents.ts';
import { Events } from './events/events.ts';
import { Organizations } from './organizations.ts';
import { ReferenceRecords } from './reference-data/reference-records.ts';
import type { RowLimit } from './request/held-rows.ts';
import { RequestContext, type RequestParts } from './request/request-context.ts';
import { Schemas } from './schemas.ts';
import { Statistics } from './statistics/statistics.ts';
import { History } from './versions/history.ts';
import { VolumeCorrections } from './volume-corrections.ts';
import { type WebhookRules, Webhooks } from './webhooks/webhooks.ts';
import { Workspaces } from './workspaces/workspaces.ts';

/** The rules of the service, opened for one viewer; without a viewer, every door is UNAUTHENTICATED. */
export class Domain {
  readonly #viewer: Viewer | undefined;
  readonly #stores: Stores;
  readonly #parts: RequestParts;
  #ctx: RequestContext | undefined;
  #isClosed = false;
  #organizations: Organizations | undefined;
  #workspaces: Workspaces | undefined;
  #documents: Documents | undefined;
  #dataApiJobs: DataApiJobs | undefined;
  #attachments: Attachments | undefined;
  #catalogRecords: CatalogRecords | undefined;
  #synonyms: Synonyms | undefined;
  #history: History | undefined;
  #referenceRecords: ReferenceRecords | undefined;

  constructor(viewer: Viewer | undefined, stores: Stores, parts: RequestParts) {
    this.#viewer = viewer;
    this.#stores = stores;
    this.#parts = parts;
  }

  /** The catalog records shown by the last answer to the same question from the same tenant. */
  recordsShownLately(question: string): readonly string[] | undefined {
    return this.#viewer && this.#stores.shownRecords.of(this.#viewer.tenant, question);
  }

  /** Remembers these records, except those found by a filter of the request, which need not be read. */
  rememberShown(question: string, records: ReadonlySet<string>): void {
    const ctx = this.#ask();
    const read = [...records].filter((id) => !ctx.hasFound(id));
    this.#stores.shownRecords.remember(ctx.tenant, question, read);
  }

  /** The caller; UNAUTHENTICATED without a credential. */
  get viewer(): Viewer {
    return this.#ask().viewer;
  }

  get organizations(): Organizations {
    this.#organizations ??= new Organizations(this.#ask());
    return this.#organizations;
  }

  get workspaces(): Workspaces {
    this.#workspaces ??= new Workspaces(this.#ask());
    return this.#workspaces;
  }

  get documents(): Documents {
    this.#documents ??= new Documents(this.#ask());
    return this.#documents;
  }

  get dataApiJobs(): DataApiJobs {
    this.#dataApiJobs ??= new DataApiJobs(this.#ask(), this.documents);
    return this.#dataApiJobs;
  }

  get attachments(): Attachments {
    this.#attachments ??= new Attachments(this.#ask(), this.documents);
    return this.#attachments;
  }

  get catalogRecords(): CatalogRecords {
    this.#catalogRecords ??= new CatalogRecords(this.#ask());
    return this.#catalogRecords;
  }

  get synonyms(): Synonyms {
    this.#synonyms ??= new Synonyms(this.#ask());
    return this.#synonyms;
  }

  get referenceRecords(): ReferenceRecords {
    this.#referenceRecords ??= new ReferenceRecords(this.#ask());
    return this.#referenceRecords;
  }

  get events(): Events {
    return new Events(this.#ask());
  }

  /** The webhooks of the caller's tenant, under the rules of the operator. */
  webhooks(rules: WebhookRules): Webhooks {
    return new Webhooks(this.#ask(), rules);
  }

  get relatedDocuments(): RelatedDocuments {
    return new RelatedDocuments(this.#ask());
  }

  get statistics(): Statistics {
    return new Statistics(this.#ask(), this.catalogRecords, this.synonyms);
  }

  get history(): History {
    this.#history ??= new History(this.#ask());
    return this.#history;
  }

  get auditTrail(): AuditTrail {
    return new AuditTrail(this.#ask());
  }

  get deletedDocuments(): DeletedDocuments {
    return new DeletedDocuments(this.#ask());
  }

  get schemas(): Schemas {
    return new Schemas(this.#ask());
  }

  get volumeCorrections(): VolumeCorrections {
    return new VolumeCorrections(this.#ask());
  }

  /** Makes further reads ignore what was read before. */
  readAnew(): void {
    this.#ctx?.readAnew();
  }

  /** Sets the time limit of further reads, in milliseconds; no effect without a viewer. */
  limitTime(ms: number): void {
    if (this.#viewer) this.#ask().limitTime(ms);
  }

  /** Sets the time limit of each further read in MongoDB, in milliseconds; no effect without a viewer. */
  limitReads(ms: number): void {
    if (this.#viewer) this.#ask().limitReads(ms);
  }

  /** Reads all parts of a list at one point in time from now on; no effect without a viewer. */
  readAtOneTime(): void {
    if (this.#viewer) this.#ask().readAtOneTime();
  }

  /** Limits the rows held until the answer from now on, and reads no list any further; no effect without a viewer. */
  limitRows(limit: RowLimit): void {
    if (this.#viewer) this.#ask().limitRows(limit);
  }

  /** Releases what the request still holds, such as unfinished lists, and holds nothing from then on; undefined if it holds nothing. */
  close(): Promise<unknown> | undefined {
    this.#isClosed = true;
    return this.#ctx?.close();
  }

  #ask(): RequestContext {
    if (!this.#viewer) throw unauthenticated();
    if (this.#ctx) return this.#ctx;
    this.#ctx = new RequestContext(this.#viewer, this.#stores, this.#parts);
    if (this.#isClosed) void this.#ctx.close();
    return this.#ctx;
  }
}
