import type { Db, MongoClient } from 'mongodb';
import { SHARD_PLAN, type ShardKey } from './shard-plan.ts';

/** Whether a client speaks to a sharded cluster, by a mongos. */
export async function isSharded(client: MongoClient): Promise<boolean> {
  return (await client.db('admin').command({ hello: 1 })).msg === 'isdbgrid';
}

/** Divides the collections of a database as the plan says, and says what it did; those that are divided already stay as they are. */
export async function applyShardPlan(
  client: MongoClient,
  database: string,
  say: (line: string) => void,
): Promise<void> {
  const db = client.db(database);
  const admin = client.db('admin');
  const divided = new Map(
    (await client.db('config').collection<{ _id: string; key: ShardKey }>('collections').find().toArray()).map(
      ({ _id, key }) => [_id, key],
    ),
  );
  await admin.command({ enableSharding: database });
  for (const [name, decision] of Object.entries(SHARD_PLAN)) {
    if ('stays' in decision) continue;
    const { key } = decision;
    const collection = `${database}.${name}`;
    const present = divided.get(collection);
    if (present === undefined) {
      await makeIndex(db, name, key);
      await admin.command({ shardCollection: collection, key });
      say(`${name}: divided by ${JSON.stringify(key)}`);
    } else if (JSON.stringify(present) === JSON.stringify(key)) say(`${name}: is divided by ${JSON.stringify(key)}`);
    else
      throw new Error(`${name} is divided by ${JSON.stringify(present)} already, and not by ${JSON.stringify(key)}.`);
  }
}

/** A collection that holds something is divided by an index that is there; others of ours begin with the key. */
async function makeIndex(db: Db, name: string, key: ShardKey): Promise<void> {
  if (Object.values(key).includes('hashed')) await db.collection(name).createIndex(key);
}
