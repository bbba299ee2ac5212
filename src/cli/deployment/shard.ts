import { readConfig } from '../../config.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { applyShardPlan, isSharded } from '../../store/sharding/apply-plan.ts';
import { SHARD_PLAN } from '../../store/sharding/shard-plan.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { connectForLongWork } from '../database.ts';

export const USAGE = `${PROGRAM} shard --plan | --apply
--plan    prints the commands for mongosh that would shard the cluster, and why; changes nothing
--apply   divides the collections of the database behind MONGODB_URI, which must be a mongos`;

/** Prints how the collections are sharded on a cluster, or shards them. */
export async function run(args: readonly string[]): Promise<void> {
  const [option] = args;
  if (args.length !== 1 || (option !== '--plan' && option !== '--apply')) {
    throw new UsageError('It needs one option, --plan or --apply.');
  }
  const { mongodbDatabase } = readConfig(process.env);
  if (option === '--plan') console.log(planOf(mongodbDatabase));
  else await apply();
}

async function apply(): Promise<void> {
  const { mongodbUri, mongodbDatabase } = readConfig(process.env);
  if (mongodbUri === undefined) throw new Error('MONGODB_URI is not set; it must point to a mongos of the cluster.');
  const client = await connectForLongWork(mongodbUri);
  try {
    if (!(await isSharded(client)))
      throw new Error('MONGODB_URI does not lead to a sharded cluster (a mongos), so there is nothing to shard.');
    await applyShardPlan(client, mongodbDatabase, (line) => console.log(line));
  } finally {
    await client.close();
  }
}

/** The plan as commands of mongosh, with the reasons as comments. */
export function planOf(database: string): string {
  const plan = Object.entries(SHARD_PLAN);
  const lines = (title: string, rows: readonly string[]) => [`// ${title}`, ...rows, ''];
  const divided = plan.flatMap(([name, decision]) => {
    if ('stays' in decision) return [];
    const key = JSON.stringify(decision.key);
    const hashed = Object.values(decision.key).includes('hashed');
    const index = hashed ? [`db.getSiblingDB("${database}").getCollection("${name}").createIndex(${key})`] : [];
    return [`// ${name}: ${decision.why}`, ...index, `sh.shardCollection("${database}.${name}", ${key})`];
  });
  const whole = plan.flatMap(([name, decision]) => ('stays' in decision ? [`// ${name}: ${decision.stays}`] : []));
  const zone = ['documents', 'catalog_records', 'synonyms', 'attachments'].map(
    (name) =>
      `// sh.updateZoneKeyRange("${database}.${name}", { workspace: "WORKSPACE" }, { workspace: "WORKSPACE " }, "EU")`,
  );
  return [
    ...lines('Sharded collections', [`sh.enableSharding("${database}")`, ...divided]),
    ...lines('Unsharded collections, on the primary shard of the database', whole),
    ...lines('Zones, as an example: a workspace whose documents must stay on shards in the EU', [
      '// sh.addShardToZone("shard0000", "EU")',
      ...zone,
    ]),
  ]
    .join('\n')
    .trimEnd();
}
