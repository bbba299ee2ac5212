import type { Db, MongoClient } from 'mongodb';
import { SHARD_PLAN, type ShardKey } from './shard-plan.ts';

/** Whether a client is connected to a sharded cluster, through mongos. */
export async function isSharded(client: MongoClient): Promise<boolean> {
  return (await client.db('admin').command({ hello: 1 })).msg === 'isdbgrid';
}

/** Shards the collections of a database according to the plan, and reports what it did; those already sharded stay as they are. */
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

/** Sharding a non-empty collection requires an existing index; for other keys, our own indexes begin with the key. */
async function makeIndex(db: Db, name: string, key: ShardKey): Promise<void> {
  if (Object.values(key).includes('hashed')) await db.collection(name).createIndex(key);
}
