import type { Collection, Db } from 'mongodb';
import type { StoredAttachment, StoredDocument } from '../../model/entity/entity.ts';
import type { CollectionUsage } from '../access/entity-usage.ts';
import { AGGREGATE_ROWS } from '../batching/find-command.ts';
import { JoinedWrites } from '../batching/joined-writes.ts';
import type { Files } from '../files/files.ts';
import type { HeldFile } from '../files/held-files.ts';
import type { Transaction } from '../transactions/transaction.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { EntityCollection } from './entity-collection.ts';
import type { TimeLimit } from './query.ts';
import type { RawEntity } from './read-entity.ts';
import { readAll } from './row-reader.ts';
import type { StoredVersion } from './versions.ts';

interface Parts {
  readonly files: Files;
  readonly transactions: Transactions;
  readonly usage: CollectionUsage | undefined;
}

/** A new attachment and its file. */
interface WithFile {
  readonly stored: StoredAttachment;
  readonly file: HeldFile;
}

/** The attachments of documents; their contents are in `Files`. */
export class AttachmentCollection extends EntityCollection<StoredAttachment> {
  readonly #documents: Collection<StoredDocument>;
  readonly #withFiles: JoinedWrites<WithFile>;

  constructor(db: Db, { files, transactions, usage }: Parts) {
    super(db.collection<StoredAttachment>('attachments'), db.collection<StoredVersion>('versions'), { usage });
    this.#documents = db.collection('documents');
    const writeIn = (all: readonly WithFile[]) => async (tx: Transaction) => {
      await this.insertMany(
        all.map(({ stored }) => stored),
        tx,
      );
      await files.keepHeld(
        all.map(({ file }) => file),
        tx,
      );
    };
    this.#withFiles = new JoinedWrites((all) => transactions.run(writeIn(all)));
  }

  /** Stores an attachment and its file, or neither; those of one turn of the event loop are stored together. */
  insertWithFile(stored: StoredAttachment, file: HeldFile): Promise<void> {
    return this.#withFiles.add({ stored, file }, file.size);
  }

  /** The newest `limit` attachments of each document that this tenant may see, in one call for all documents. */
  async newestOf(
    documents: readonly string[],
    tenant: string,
    { limit, ...time }: TimeLimit & { readonly limit: number },
  ): Promise<RawEntity[]> {
    const sameDocument = { $and: [{ $eq: ['$workspace', '$$workspace'] }, { $eq: ['$parent_id', '$$document'] }] };
    const lookup = {
      from: 'attachments',
      let: { workspace: '$workspace', document: '$_id' },
      pipeline: [
        { $match: { readers: tenant, $expr: sameDocument } },
        { $sort: { created_at: -1, _id: 1 } },
        { $limit: limit },
      ],
      as: 'attachment',
    };
    const stages = [
      { $match: { _id: { $in: [...documents] } } },
      { $project: { workspace: 1 } },
      { $lookup: lookup },
      { $unwind: '$attachment' },
      { $replaceRoot: { newRoot: '$attachment' } },
    ];
    return readAll(this.#documents.aggregate(stages, { ...AGGREGATE_ROWS, batchSize: 1_000, ...time }));
  }
}
