import {
  type ChangeStreamDeleteDocument,
  type ChangeStreamInsertDocument,
  type ChangeStreamInvalidateDocument,
  type ChangeStreamReplaceDocument,
  type Collection,
  type Db,
  Timestamp,
} from 'mongodb';
import type { Stored } from '../../model/entity/entity.ts';
import {
  ATTACHMENT_EVENT_TYPE,
  type FactSource,
  factsOf,
  REFERENCE_MEMBERS,
  turnHeldBy,
} from '../../model/entity/event-facts.ts';
import { isTenantPartition, tenantPartition } from '../../model/entity/partition.ts';
import { Tombstones } from '../audit/tombstones.ts';
import { withMarks } from '../change-streams/marks.ts';
import { keepImages } from '../change-streams/pre-images.ts';
import { imageOf, type Watch } from '../change-streams/watch.ts';
import { isDocumentFault } from '../document-faults.ts';
import type { StoredVersion } from '../entities/versions.ts';
import { AUDITS, type StoredAudit } from '../figure-audits/kept-audit.ts';
import type { Progress } from '../leases/lease.ts';
import { EVENTS, type EventLog, MARGIN_MS, type NewEvent } from './event-log.ts';
import { FINDING_CHANGES, FINDING_FIELDS, findingEvents } from './finding-events.ts';

/** A change as reported by MongoDB. */
export type Change =
  | ChangeStreamInsertDocument<Stored>
  | ChangeStreamReplaceDocument<Stored>
  | ChangeStreamDeleteDocument<Stored>
  | ChangeStreamInvalidateDocument;

/** The collections whose changes become events. */
const WATCHED = ['documents', 'attachments'] as const;

const ENVELOPE = ['version_id', 'revision', 'workspace', 'type', 'parent_id', 'readers', 'modified_by', 'modified_at'];
const SEEN = ['_id', ...ENVELOPE, ...FINDING_FIELDS, ...REFERENCE_MEMBERS.map((name) => `body.${name}`)];

/** What is read to create events; annotations on a document (updates) are not versions. */
export const EVENT_WATCH: Watch = withMarks(EVENTS.mark, {
  collections: [
    ...WATCHED.map((collection) => ({ collection, operations: ['insert', 'replace', 'delete'] as const })),
    FINDING_CHANGES,
  ],
  members: SEEN,
});

/** Changes to documents, from MongoDB's oplog. */
export class DocumentChanges {
  readonly #db: Db;
  readonly #versions: Collection<StoredVersion>;
  readonly #tombstones: Tombstones;
  readonly #log: EventLog;
  readonly #leftOut: (document: unknown, error: unknown) => void;

  /** `leftOut` is told each document of which a change cannot be an event. */
  constructor(db: Db, log: EventLog, leftOut: (document: unknown, error: unknown) => void) {
    this.#leftOut = leftOut;
    this.#db = db;
    this.#versions = db.collection('versions');
    this.#tombstones = new Tombstones(db);
    this.#log = log;
  }

  /** Enables MongoDB's pre-images of deleted documents; without one, the document's last event is used. */
  keepImages(): Promise<void> {
    return keepImages(this.#db);
  }

  /** The position after everything in MongoDB's oplog, whose last entry may be a transaction of thousands of documents. */
  async now(): Promise<Progress> {
    const { operationTime } = (await this.#db.command({ ping: 1 })) as { readonly operationTime: Timestamp };
    return { from: new Timestamp({ t: operationTime.t, i: operationTime.i + 1 }) };
  }

  /** The events of a change; none for a deletion about which nothing is known, and for one that is left out. */
  async eventsOf(change: Change): Promise<NewEvent[]> {
    const document = change.operationType === 'invalidate' ? undefined : change.documentKey._id;
    return this.#unlessFaulty(document, () => this.#madeOf(change));
  }

  /** The events of a document's change, or none if something in the document is the reason why there cannot be any. */
  async #unlessFaulty(document: unknown, make: () => Promise<NewEvent[]>): Promise<NewEvent[]> {
    try {
      return await make();
    } catch (error) {
      if (!isDocumentFault(error)) throw error;
      this.#leftOut(document, error);
      return [];
    }
  }

  async #madeOf(change: Change): Promise<NewEvent[]> {
    const isAudit = change.operationType !== 'invalidate' && change.ns.coll === AUDITS;
    if (isAudit && 'fullDocument' in change) {
      const events = findingEvents(change.fullDocument as unknown as StoredAudit);
      return events.map((event) => ({ ...event, ...momentOf(change) }));
    }
    const event = await this.#eventOf(change);
    return event ? [event] : [];
  }

  async #eventOf(change: Change): Promise<NewEvent | undefined> {
    if (change.operationType === 'invalidate') return undefined;
    if (change.operationType === 'delete') return this.#deletion(change);
    const { fullDocument: version, ns } = change;
    const kind = change.operationType === 'insert' ? 'created' : 'changed';
    const before =
      change.operationType === 'insert'
        ? undefined
        : (change.fullDocumentBeforeChange ?? (await this.#versionBefore(version)));
    return { ...eventOfVersion(version, { kind, collection: ns.coll, before }), ...momentOf(change) };
  }

  async #deletion(change: ChangeStreamDeleteDocument<Stored>): Promise<NewEvent | undefined> {
    const id = String(change.documentKey._id);
    const image = change.fullDocumentBeforeChange;
    const grave = await this.#tombstones.grave(id);
    const event = image ? undefined : await this.#log.newestOf(id);
    const before = image ?? event ?? grave;
    if (!before) return undefined;
    const { workspace, readers } = before;
    const gone = {
      version: grave?.version_id ?? image?.version_id ?? null,
      by: grave?.deleted_by ?? null,
      at: grave?.deleted_at ?? change.wallTime ?? new Date(),
    };
    return {
      _id: `${id} deleted`,
      kind: 'deleted',
      document: id,
      type: typeOf(before, change.ns.coll),
      workspace,
      readers,
      ...(image && withoutTurns(image)),
      ...(event && lastFacts(event)),
      ...gone,
      ...momentOf(change),
    };
  }

  /** The previous version, if MongoDB has no pre-image of it; its readers are known for a job that was in no workspace. */
  #versionBefore({ _id, revision, readers }: Stored): Promise<VersionBefore | undefined> {
    return this.#superseded({ entity: _id, revision: revision - 1 }, readers);
  }

  async #superseded(match: object, readers: readonly string[]): Promise<VersionBefore | undefined> {
    const [version] = await this.#versions.aggregate<StoredVersion>([{ $match: match }, ...imageOf(SEEN)]).toArray();
    if (!version) return undefined;
    const { body, workspace } = version;
    const isOwn = workspace !== null && isTenantPartition(workspace);
    return { body, readers: isOwn ? readers.filter((tenant) => tenantPartition(tenant) === workspace) : readers };
  }

  /**
   * The versions current since a time, for when the oplog does not reach back; deletions in between are not reported. Those of all
   * collections are in one order, by their time: whoever was interrupted goes on at the time of the last event. Nothing that happened
   * after `processed` has been reported otherwise.
   */
  async *since(time: Date, processed = time): AsyncGenerator<NewEvent> {
    const changedLately = { modified_at: { $gte: new Date(time.getTime() - MARGIN_MS) } };
    const changedIn = (collection: string) => [
      { $match: changedLately },
      ...imageOf([...SEEN, 'created_at']),
      { $set: { collection } },
    ];
    const [first, ...others] = WATCHED;
    const changed = this.#db
      .collection(first)
      .aggregate<Stored & { readonly collection: string }>(
        [
          ...changedIn(first),
          ...others.map((coll) => ({ $unionWith: { coll, pipeline: changedIn(coll) } })),
          { $sort: { modified_at: 1, _id: 1 } },
        ],
        { allowDiskUse: true },
      );
    for await (const { collection, ...version } of changed) {
      yield* await this.#unlessFaulty(version._id, async () => [
        eventOfVersion(version, { collection, ...(await this.#whatIsNew(version, processed)) }),
      ]);
    }
  }

  /** What a document became since it was last reported: several versions may have followed. */
  async #whatIsNew(version: Stored, processed: Date): Promise<Pick<VersionPlace, 'kind' | 'before'>> {
    const reported = version.revision === 1 ? undefined : await this.#log.newestOf(version._id);
    const isNew = version.created_at.getTime() >= processed.getTime() - MARGIN_MS;
    if (version.revision === 1 || (isNew && !reported)) return { kind: 'created', before: undefined };
    const last = reported?.version && (await this.#superseded({ _id: reported.version }, version.readers));
    return { kind: 'changed', before: last || (await this.#versionBefore(version)) };
  }
}

/** The type of a version in the log. */
const typeOf = ({ type }: Pick<Stored, 'type'>, collection: string): string =>
  collection === 'attachments' ? ATTACHMENT_EVENT_TYPE : type;

const withoutTurns = (image: Stored) => {
  const { parent, references } = factsOf(image);
  return { parent, references };
};

const lastFacts = ({ parent, references }: NewEvent) => ({
  ...(parent !== undefined && { parent }),
  ...(references && { references }),
});

const momentOf = ({ clusterTime }: { readonly clusterTime?: Timestamp }) =>
  clusterTime === undefined ? {} : { moment: clusterTime.toString() };

interface VersionPlace {
  readonly kind: 'created' | 'changed';
  readonly collection: string;
  readonly before: VersionBefore | undefined;
}

/** What an event needs from the previous version. */
interface VersionBefore {
  readonly body?: FactSource['body'];
  readonly readers: readonly string[];
}

/** The readers of a version that could not read the previous one, and what the document has become for them. */
function newReaders(version: Stored, before: VersionBefore | undefined): Pick<NewEvent, 'new_readers' | 'new_turns'> {
  const fresh = before ? version.readers.filter((tenant) => !before.readers.includes(tenant)) : [];
  const turn = turnHeldBy(version);
  return fresh.length > 0 ? { new_readers: fresh, ...(turn && { new_turns: [turn] }) } : {};
}

const eventOfVersion = (version: Stored, { kind, collection, before }: VersionPlace): NewEvent => ({
  _id: `${version._id} ${version.version_id}`,
  kind,
  document: version._id,
  type: typeOf(version, collection),
  workspace: version.workspace,
  readers: version.readers,
  ...newReaders(version, before),
  version: version.version_id,
  by: version.modified_by,
  at: version.modified_at,
  ...factsOf(version, before?.body),
});
