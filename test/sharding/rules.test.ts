import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOf } from '../../src/cli/deployment/shard.ts';
import { SHARD_PLAN } from '../../src/store/sharding/shard-plan.ts';
import { runScenario } from '../openapi/scenario.ts';
import { openScenario } from '../openapi/scenario-fixture.ts';
import { takeCommands } from './command-watch.ts';
import { verdictOf } from './shard-rules.ts';

describe('on a sharded cluster', () => {
  let fixture: Awaited<ReturnType<typeof openScenario>>;
  beforeAll(async () => {
    takeCommands();
    fixture = await openScenario();
    await runScenario(fixture.send);
  });
  afterAll(async () => {
    await fixture.service.stop();
  });

  it('mongos would accept every command that requests to all endpoints lead to', () => {
    const { refused, rows } = takeCommands();
    expect(refused).toEqual([]);
    expect(rows.length).toBeGreaterThan(100);
  });

  it('every collection is sharded by a prefix of its unique indexes, or listed as unsharded', async () => {
    const { db } = fixture.service.stores;
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    expect(names.filter((name) => !Object.hasOwn(SHARD_PLAN, name))).toEqual([]);
    for (const [name, decision] of Object.entries(SHARD_PLAN)) {
      if (!('key' in decision)) continue;
      const key = Object.keys(decision.key);
      const indexes = await db.collection(name).indexes();
      const unique = indexes.filter((index) => index.unique).map((index) => Object.keys(index.key));
      expect([name, unique.filter((fields) => key.some((field, at) => fields[at] !== field))]).toEqual([name, []]);
      if (Object.values(decision.key).includes('hashed')) continue; // its index is created when it is sharded
      const fits = indexes.some(
        (index) =>
          !index.partialFilterExpression &&
          !index.sparse &&
          key.every((field, at) => Object.keys(index.key)[at] === field),
      );
      expect([name, fits]).toEqual([name, true]);
    }
  });
});

describe('the plan', () => {
  it('consists of mongosh commands for sharded collections, and comments for the rest', () => {
    const plan = planOf('exchange').split('\n');
    expect(plan).toContain('sh.shardCollection("exchange.documents", {"workspace":1})');
    for (const line of plan.filter((one) => one !== '' && !one.startsWith('//')))
      expect(line).toMatch(/^(sh\.(enableSharding|shardCollection)\("exchange|db\.getSiblingDB\("exchange"\))/);
    for (const name of Object.keys(SHARD_PLAN)) expect(plan.some((line) => line.includes(name))).toBe(true);
  });
});

describe('the rules of mongos', () => {
  const violations = (command: object, isInTransaction = false) =>
    verdictOf({ command, isInTransaction })?.violations.length ?? 0;

  it.each([
    [{ update: 'documents', updates: [{ q: { 'body.status': 'x' }, u: {} }] }, 1],
    [{ update: 'documents', updates: [{ q: { _id: 'a' }, u: {} }] }, 0],
    [{ update: 'documents', updates: [{ q: { _id: 'a' }, u: {}, upsert: true }] }, 1],
    [{ update: 'documents', updates: [{ q: { workspace: 'w', _id: 'a' }, u: {}, upsert: true }] }, 0],
    [{ update: 'documents', updates: [{ q: { parent_id: 'a' }, u: {}, multi: true }] }, 0],
    [{ findAndModify: 'documents', query: { _id: 'a' } }, 1],
    [{ findAndModify: 'documents', query: { $and: [{ workspace: { $eq: 'w' } }, { _id: 'a' }] } }, 0],
    [{ delete: 'documents', deletes: [{ q: { version_id: 'v' }, limit: 1 }] }, 1],
    [{ insert: 'documents', documents: [{ _id: 'a' }] }, 1],
    [{ findAndModify: 'leases', query: { holder: 'a' } }, 0],
    [{ update: 'documents', updates: [{ q: { _id: 'a' }, u: { _id: 'a', workspace: 'w' } }] }, 0],
    [{ update: 'documents', updates: [{ q: { _id: 'a' }, u: { $set: { workspace: 'w' } } }] }, 1],
  ])('%j has this many violations: %d', (command, count) => {
    expect(violations(command)).toBe(count);
  });

  it('recognize broadcasts to all shards', () => {
    const isBroadcast = (filter: object) =>
      verdictOf({ command: { find: 'documents', filter }, isInTransaction: false })?.isBroadcast;
    expect(isBroadcast({ _id: 'a' })).toBe(true);
    expect(isBroadcast({ workspace: 'w' })).toBe(false);
    expect(isBroadcast({ workspace: { $in: ['v', 'w'] }, _id: 'a' })).toBe(false);
    expect(isBroadcast({ $or: [{ workspace: 'w' }, { readers: 'r' }] })).toBe(true);
  });

  it('refuse a join with a sharded collection inside a transaction', () => {
    const command = { aggregate: 'workspaces', pipeline: [{ $lookup: { from: 'documents', as: 'd' } }] };
    expect(violations(command, true)).toBe(1);
    expect(violations(command, false)).toBe(0);
  });
});
