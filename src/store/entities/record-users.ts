import type { Db } from 'mongodb';
import type { Entity } from '../../model/entity/entity.ts';
import { AGGREGATE_ROWS } from '../batching/find-command.ts';
import type { TimeLimit } from './query.ts';
import { readAll } from './row-reader.ts';

/** Documents of one type in some workspaces. */
export interface UserScope {
  readonly workspaces: readonly (string | null)[];
  readonly type: string;
  readonly readers: string;
}

/** The documents that refer to records. */
export class RecordUsers {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The newest documents of one type that refer to each of the records, with the id of the record. */
  async newest(
    records: readonly string[],
    { workspaces, ...match }: UserScope,
    { limit, ...time }: TimeLimit & { readonly limit: number },
  ): Promise<{ record: string; user: Entity }[]> {
    const stages = [
      { $match: { _id: { $in: [...records] } } },
      { $project: { _id: 1 } },
      {
        $lookup: {
          from: 'documents',
          localField: '_id',
          foreignField: 'refs',
          pipeline: [
            { $match: { workspace: { $in: [...workspaces] }, ...match } },
            { $sort: { created_at: -1, _id: 1 } },
            { $limit: limit },
          ],
          as: 'found',
        },
      },
      { $unwind: '$found' },
      { $replaceRoot: { newRoot: { $mergeObjects: ['$found', { referred: '$_id' }] } } },
    ];
    const options = { ...time, ...AGGREGATE_ROWS, batchSize: 1_000 };
    const users = await readAll(this.#db.collection<{ _id: string }>('catalog_records').aggregate(stages, options));
    return users.map((user) => ({ record: String(user.stored('referred')), user }));
  }
}
