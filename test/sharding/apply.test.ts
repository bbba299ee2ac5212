import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, inject, it } from 'vitest';
import * as command from '../../src/cli/deployment/shard.ts';
import { SHARD_PLAN } from '../../src/store/sharding/shard-plan.ts';
import { runCommand } from '../cli/run-command.ts';
import { startStandInMongos } from './mongos.ts';

const database = `test_${newId().replaceAll('-', '')}`;
const client = new MongoClient(inject('mongoUri'));
afterAll(() => client.close());

const shard = (args: readonly string[], MONGODB_URI = '') =>
  runCommand({ command, args, env: { MONGODB_URI, MONGODB_DATABASE: database } });
const keys = Object.entries(SHARD_PLAN).flatMap(([name, decision]) =>
  'key' in decision ? [[name, decision.key]] : [],
);

describe('npm run cli -- shard', () => {
  it('prints the plan without a database, and its usage for anything else', async () => {
    expect(await shard(['--plan'])).toEqual({ code: 0, stdout: `${command.planOf(database)}\n`, stderr: '' });
    for (const args of [[], ['--now'], ['--plan', '--apply'], ['--apply', 'documents']]) {
      expect(await shard(args)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('shard --plan | --apply'),
      });
    }
  });

  it.runIf(process.env.TEST_SHARDED_URI === undefined)(
    'shards nothing without MONGODB_URI, and nothing when that leads to no mongos',
    async () => {
      expect(await shard(['--apply'])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'MONGODB_URI is not set; it must point to a mongos of the cluster.\n',
      });
      expect(await shard(['--apply'], inject('mongoUri'))).toEqual({
        code: 1,
        stdout: '',
        stderr: 'MONGODB_URI does not lead to a sharded cluster (a mongos), so there is nothing to shard.\n',
      });
      expect(await client.db(database).listCollections().toArray()).toEqual([]);
    },
  );

  it('sends a mongos the key of each collection, after an index where a hash needs one', async () => {
    await using mongos = await startStandInMongos({});
    const { code, stdout, stderr } = await shard(['--apply'], mongos.uri);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toEqual(
      keys.map(([name, key]) => `${name}: divided by ${JSON.stringify(key)}`),
    );
    const sent = mongos.commands.flatMap((command) => {
      if ('enableSharding' in command) return [['enableSharding', command.enableSharding]];
      if ('createIndexes' in command) return [['index', command.createIndexes, command.indexes[0].key]];
      return 'shardCollection' in command ? [['divide', command.shardCollection, command.key]] : [];
    });
    expect(sent).toEqual([
      ['enableSharding', database],
      ...keys.flatMap(([name, key = {}]) => [
        ...(Object.values(key).includes('hashed') ? [['index', name, key]] : []),
        ['divide', `${database}.${name}`, key],
      ]),
    ]);
  });

  it('leaves collections sharded by the same key, and stops at one sharded by another', async () => {
    const [documents, versions] = [`${database}.documents`, `${database}.versions`];
    await using mongos = await startStandInMongos({ [documents]: { workspace: 1 }, [versions]: { _id: 1 } });
    const { code, stdout, stderr } = await shard(['--apply'], mongos.uri);
    expect([code, stderr]).toEqual([1, 'versions is divided by {"_id":1} already, and not by {"_id":"hashed"}.\n']);
    expect(stdout).toContain('documents: is divided by {"workspace":1}\n');
    const divided = mongos.commands.flatMap((command) =>
      'shardCollection' in command ? [command.shardCollection] : [],
    );
    expect(divided).toContain(`${database}.attachments`);
    expect(divided).not.toContain(documents);
    expect(divided).not.toContain(versions);
  });
});
