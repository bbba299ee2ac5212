import type {
  ChangeStreamDeleteDocument,
  ChangeStreamInsertDocument,
  ChangeStreamInvalidateDocument,
  ChangeStreamReplaceDocument,
  Collection,
  Db,
  Timestamp,
} from 'mongodb';
import type { StoredDocument } from '../../model/entity/entity.ts';
import type { Progress } from '../lease.ts';
import type { EventLog, NewEvent } from './event-log.ts';

/** A change as reported by MongoDB. */
export type Change =
  | ChangeStreamInsertDocument<StoredDocument>
  | ChangeStreamReplaceDocument<StoredDocument>
  | ChangeStreamDeleteDocument<StoredDocument>
  | ChangeStreamInvalidateDocument;

const SEEN = ['_id', 'version_id', 'revision', 'workspace', 'type', 'readers', 'modified_by', 'modified_at'];
const seen = (part: string) => Object.fromEntries(SEEN.map((name) => [`${part}.${name}`, 1]));

/**
 * What is looked at of a change; marks on a document (updates) are no new version. A collection that is dropped ends the
 * stream with an `invalidate`, after whose token another one can begin.
 */
const PIPELINE = [
  { $match: { operationType: { $in: ['insert', 'replace', 'delete', 'invalidate'] } } },
  {
    $project: {
      operationType: 1,
      documentKey: 1,
      wallTime: 1,
      clusterTime: 1,
      ...seen('fullDocument'),
      ...seen('fullDocumentBeforeChange'),
    },
  },
];

/** Modification times of gateways may differ by as much, and a change may be as long on its way. */
const MARGIN_MS = 10 * 60_000;

/** What happens to documents, from MongoDB's own log. */
export class DocumentChanges {
  readonly #db: Db;
  readonly #documents: Collection<StoredDocument>;
  readonly #log: EventLog;

  constructor(db: Db, log: EventLog) {
    this.#db = db;
    this.#documents = db.collection('documents');
    this.#log = log;
  }

  /** Enables pre-images of deleted documents in MongoDB; without one, the document's last event is used. */
  async keepImages(): Promise<void> {
    const [documents] = await this.#db.listCollections({ name: 'documents' }, { nameOnly: false }).toArray();
    if (documents && 'options' in documents && documents.options?.changeStreamPreAndPostImages?.enabled) return;
    await this.#db.command({ collMod: 'documents', changeStreamPreAndPostImages: { enabled: true } });
  }

  /** The current position in MongoDB's oplog. */
  async now(): Promise<Progress> {
    const { operationTime } = await this.#db.command({ ping: 1 });
    return { from: operationTime };
  }

  /** The changes from a place on. */
  open({ token, from }: Progress) {
    return this.#documents.watch<StoredDocument, Change>(PIPELINE, {
      fullDocumentBeforeChange: 'whenAvailable',
      ...(token ? { startAfter: token } : from && { startAtOperationTime: from }),
    });
  }

  /** The event of a change; undefined for a deletion of which nothing is known. */
  async eventOf(change: Change): Promise<NewEvent | undefined> {
    if (change.operationType === 'invalidate') return undefined;
    if (change.operationType !== 'delete') {
      const event = eventOfVersion(change.fullDocument, change.operationType === 'insert' ? 'created' : 'changed');
      return { ...event, ...momentOf(change) };
    }
    const id = String(change.documentKey._id);
    const before = change.fullDocumentBeforeChange ?? (await this.#log.newestOf(id));
    if (!before) return undefined;
    const { type, workspace, readers } = before;
    const at = change.wallTime ?? new Date();
    const gone = { version: null, by: null, at };
    return {
      _id: `${id} deleted`,
      kind: 'deleted',
      document: id,
      type,
      workspace,
      readers,
      ...gone,
      ...momentOf(change),
    };
  }

  /** The current versions since a time, for when the oplog does not reach back; deletions in between are not reported. */
  async *since(time: Date): AsyncGenerator<NewEvent> {
    const projection = Object.fromEntries(SEEN.map((name) => [name, 1]));
    const changed = this.#documents
      .find({ modified_at: { $gte: new Date(time.getTime() - MARGIN_MS) } }, { projection, allowDiskUse: true })
      .sort({ modified_at: 1 });
    for await (const document of changed) {
      yield eventOfVersion(document, document.revision === 1 ? 'created' : 'changed');
    }
  }
}

const momentOf = ({ clusterTime }: { readonly clusterTime?: Timestamp }) =>
  clusterTime === undefined ? {} : { moment: clusterTime.toString() };

const eventOfVersion = (document: StoredDocument, kind: 'created' | 'changed'): NewEvent => ({
  _id: `${document._id} ${document.version_id}`,
  kind,
  document: document._id,
  type: document.type,
  workspace: document.workspace,
  readers: document.readers,
  version: document.version_id,
  by: document.modified_by,
  at: document.modified_at,
});
