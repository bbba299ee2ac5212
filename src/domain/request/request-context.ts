import type { Scope, Viewer } from '../../auth/viewer.ts';
import { forbidden, missingScope, type ServiceError, timedOut } from '../../errors.ts';
import type { AuditAction, AuditEntry, AuditOutcome, AuditSource, RequestOrigin } from '../../model/audit.ts';
import type { NoteOptions } from '../../store/audit/audit-queue.ts';
import { Slots } from '../../store/batching/slots.ts';
import { StepsAtOneTime } from '../../store/connection/snapshot-reads.ts';
import type { TimeLimit } from '../../store/entities/query.ts';
import type { RawEntity } from '../../store/entities/read-entity.ts';
import { RELATED_BYTES, relatedTooLarge } from '../../store/entities/row-reader.ts';
import type { FileReader } from '../../store/files/chunk-reader.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { Turns } from '../../store/transactions/turns.ts';
import type { TracedDeletion } from '../deletion/erase-traced.ts';
import type { StreamPlace } from '../events/open-streams.ts';
import type { ClockAndIds } from './clock-and-ids.ts';
import { HeldBytes, HeldRows, type RowLimit } from './held-rows.ts';
import { OpenCursors } from './open-cursors.ts';

/** Once a caller's refusals exceed this number within a minute, repeats of the same refusal are logged only once in that time. */
const FLOOD = { onceInMs: 60_000, unlessAbove: 100 };

/** The most long reads that one request runs at once: as many as a dashboard page has lists. */
const READS_AT_ONCE = 10;

/** A client that never disconnects. */
const PATIENT: Client = { gone: new AbortController().signal };

/** What a request has besides its viewer and the stores. */
export interface RequestParts {
  readonly sources: ClockAndIds;
  readonly origin?: RequestOrigin | undefined;
  /** The client awaiting the answer; if absent, it never disconnects. */
  readonly client?: Client | undefined;
}

interface Client {
  readonly gone: AbortSignal;
  /** Set if its answer is made of many pages of the change feed. */
  readonly streamPlace?: StreamPlace | undefined;
}

/** One viewer's access to the stores; every read and write passes the scope check here, and only here. */
export class RequestContext {
  readonly viewer: Viewer;
  readonly sources: ClockAndIds;
  readonly cursors = new OpenCursors();
  readonly rows: HeldRows;
  readonly #stores: Stores;
  readonly #origin: RequestOrigin;
  readonly #client: Client;
  /** Undefined until the first long read. */
  #reads: Slots | undefined;
  /** The reads waiting for a slot, by key; undefined until there is one. */
  #waiting: Map<string, Promise<unknown>> | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #heldBytes = 0;
  /** Undefined until a filter has found any. */
  #found: Map<string, RawEntity> | undefined;
  #readMs: number | undefined;

  constructor(viewer: Viewer, stores: Stores, { sources, origin = {}, client = PATIENT }: RequestParts) {
    this.viewer = viewer;
    this.rows = new HeldRows(viewer.tenant, heldBytesOf(stores));
    this.#stores = stores;
    this.sources = sources;
    this.#origin = origin;
    this.#client = client;
  }

  get tenant(): string {
    return this.viewer.tenant;
  }

  /** On whose behalf files are read. */
  get reader(): FileReader {
    return { tenant: this.tenant, gone: this.#client.gone };
  }

  /** Counts the bytes of related entities that the request holds until it is answered; TOO_LARGE if there are too many. */
  hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes > RELATED_BYTES) throw relatedTooLarge();
  }

  /** Keeps an entity readable by the caller that a filter has found, for the answer that shows it. */
  keepFound(entity: RawEntity): void {
    this.#found ??= new Map();
    this.#found.set(entity.id, entity);
  }

  /** Whether a filter of this request has found this id. */
  hasFound(id: string): boolean {
    return this.#found?.has(id) ?? false;
  }

  /** The entity that a filter of this request found by this id, which the request holds from then on. */
  found(id: string): RawEntity | undefined {
    const entity = this.#found?.get(id);
    if (entity) this.hold(entity.byteLength);
    return entity;
  }

  /** Drops what filters have found and lists have read, and closes the open cursors. */
  readAnew(): void {
    this.#found = undefined;
    this.rows.release();
    void this.cursors.release();
  }

  /** Limits the rows held until the answer, for an operation that reads only the first page of each list. */
  limitRows(limit: RowLimit): void {
    this.rows.limitTo(limit);
    void this.cursors.close();
  }

  /** Releases what the request still holds; undefined if there is nothing to wait for. */
  close(): Promise<unknown> | undefined {
    this.rows.close();
    return this.cursors.close();
  }

  /** Sets the time limit of further reads, in milliseconds. */
  limitTime(ms: number): void {
    this.#deadline = performance.now() + ms;
  }

  /** Limits each further read to this many milliseconds in MongoDB, however long the request takes. */
  limitReads(ms: number): void {
    this.#readMs = ms;
  }

  /** Reads all parts of a list at one point in time from now on, that of the first. */
  readAtOneTime(): void {
    this.cursors.readAtOneTime(new StepsAtOneTime(this.#stores.db));
  }

  /** Extends the deadline by time spent waiting for something to happen, in milliseconds. */
  notCounting(ms: number): void {
    this.#deadline += ms;
  }

  /** The MongoDB options for long reads; TIMED_OUT if no time is left. */
  get time(): TimeLimit {
    if (this.#deadline === Number.POSITIVE_INFINITY)
      return this.#readMs === undefined ? {} : { maxTimeMS: this.#readMs };
    const left = Math.ceil(this.#deadline - performance.now());
    if (left <= 0) throw timedOut();
    return { maxTimeMS: left };
  }

  /**
   * Runs a long read within the remaining time, as soon as a slot of this request is free; waiting reads with the same key are merged. By
   * then it may be TIMED_OUT if no time is left or the client is gone, or TOO_LARGE if the request holds too many rows. The read itself
   * must not call this method, or it would wait for its own slot.
   */
  reading<T>(read: (time: TimeLimit) => Promise<T>, keyOf?: () => string): Promise<T> {
    this.#reads ??= new Slots(Number.POSITIVE_INFINITY, READS_AT_ONCE);
    if (this.#reads.hasRoomFor(this.tenant)) return this.#inSlot(this.#reads, PATIENT.gone, read);
    if (!keyOf) return this.#inSlot(this.#reads, this.#client.gone, read);
    this.#waiting ??= new Map<string, Promise<unknown>>();
    const waiting = this.#waiting;
    const key = keyOf();
    const shared = waiting.get(key) ?? this.#inSlot(this.#reads, this.#client.gone, read, () => waiting.delete(key));
    waiting.set(key, shared);
    return shared as Promise<T>;
  }

  #inSlot<T>(slots: Slots, gone: AbortSignal, read: (time: TimeLimit) => Promise<T>, begins?: () => void): Promise<T> {
    return slots.run(gone, this.tenant, () => {
      begins?.();
      if (gone.aborted) throw timedOut();
      this.rows.check();
      return read(this.time);
    });
  }

  /** The turns of this process's requests to write to something. */
  get turns(): Turns {
    return this.#stores.turns;
  }

  /** The place that the whole answer holds among the streams of its principal; undefined if it holds none. */
  get streamPlace(): StreamPlace | undefined {
    return this.#client.streamPlace;
  }

  /** Throws TIMED_OUT if nobody awaits the answer any more. */
  checkAwaited(): void {
    if (this.#client.gone.aborted) throw timedOut();
  }

  /** The caller and request, for the audit log. */
  get source(): AuditSource {
    const { tenant, id, name } = this.viewer;
    const { address, requestId, operation } = this.#origin;
    return { tenant, principal: { id, name }, address, requestId, operation };
  }

  /** An audit log entry for an action of this request, to be added together with the change it describes. */
  entry(action: AuditAction, entity: string, outcome: AuditOutcome = 'success'): AuditEntry {
    return { ...this.source, at: this.sources.now(), action, entity, outcome };
  }

  /** Records an action in the audit log that changes nothing. */
  note(action: AuditAction, entity: string, options?: NoteOptions): void {
    this.#stores.audit.note(this.entry(action, entity), options);
  }

  /** The FORBIDDEN error for a foreign entity, recorded in the audit log. */
  refusedAccess(entity: string, why: string): ServiceError {
    const entry = this.entry('access.refused', entity, 'denied');
    this.#stores.audit.note(entry, FLOOD);
    return forbidden(why);
  }

  /** A deletion by this request, in the given transaction. */
  deletionIn(tx: Transaction): TracedDeletion {
    const { source } = this;
    return { sourceOf: () => source, at: this.sources.now(), tx };
  }

  /** The stores for administering the tenant; FORBIDDEN without the scope `admin`. */
  adminStores(): Stores {
    return this.#with('admin');
  }

  /** The stores for reading; FORBIDDEN without the scope `read`. */
  readStores(): Stores {
    if (performance.now() > this.#deadline) throw timedOut();
    return this.#with('read');
  }

  /** The stores for changing; FORBIDDEN without the scope `write`. */
  writeStores(): Stores {
    return this.#with('write');
  }

  /** The stores for completing an answer whose scope has already been checked. */
  unscopedStores(): Stores {
    if (performance.now() > this.#deadline) throw timedOut();
    return this.#stores;
  }

  #with(scope: Scope): Stores {
    if (!this.viewer.scopes.has(scope)) {
      throw missingScope(scope, this.viewer.scopes);
    }
    return this.#stores;
  }
}

const held = new WeakMap<Stores, HeldBytes>();

function heldBytesOf(stores: Stores): HeldBytes {
  const known = held.get(stores) ?? new HeldBytes();
  held.set(stores, known);
  return known;
}
