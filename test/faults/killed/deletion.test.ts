// May take 20 s: three gateways are started and killed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLERS, makeWorkspace, startTestService, type TestService } from '../../service.ts';
import { type FaultyMongod, startFaultyMongod } from '../faulty-mongod.ts';
import { killAtWork, running, startGatewayProcess } from '../gateway-process.ts';

let mongod: FaultyMongod;
let service: TestService;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  // A killed gateway's open transactions end after two seconds instead of a minute.
  await mongod.client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: 2 });
  // Half a minute ahead, so that a killed deletion's mark has expired.
  service = await startTestService({ uri: mongod.uri, sources: { now: () => new Date(Date.now() + 31_000) } });
});
afterAll(async () => {
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

const read = async (path: string) => (await service.ask('GET', path, { as: 'client' })).status;

/** What shows of a deletion in the audit log, and of what was deleted. */
async function traces(workspace: string, record: string) {
  const query = '{ auditLog(first: 100) { nodes { action entity outcome } } }';
  const { nodes } = (await service.graphql(query, {}, 'admin')).body.data.auditLog;
  const audited = (nodes as { action: string; entity: string; outcome: string }[])
    .filter(({ action, entity }) => action.endsWith('.deleted') && [workspace, record].includes(entity))
    .map(({ action, outcome }) => `${action} ${outcome}`)
    .sort();
  const tombstones = service.stores.db.collection<{ _id: string }>('tombstones');
  return { audited, tombstones: await tombstones.countDocuments({ _id: { $in: [workspace, record] } }) };
}

const ALL = { audited: ['catalog_record.deleted SUCCESS', 'workspace.deleted SUCCESS'], tombstones: 2 };
const NOTHING = { audited: [], tombstones: 0 };

describe('deleting a workspace whose gateway is killed', () => {
  it.each([
    ['before it deletes', ['delete'], undefined],
    ['before its commit', ['commitTransaction'], undefined],
    ['after its commit', ['find', 'aggregate'], 'attachments'],
  ])('%s is all or nothing, and a retry completes it, with one audit line each', async (_, commands, collection) => {
    const database = service.stores.db.databaseName;
    const { id } = await makeWorkspace(service);
    const products = `/workspaces/${id}/catalogs/products`;
    const { body: made } = await service.ask('POST', products, { as: 'client', body: { name: 'Naphtha' } });
    const record = made.id as string;
    const { gateway, url } = await startGatewayProcess(mongod.uri, database);
    const where = collection && { namespace: `${database}.${collection}` };
    const headers = { Authorization: `Bearer ${CALLERS.client}` };
    const erase = () => fetch(`${url}/v2/workspaces/${id}`, { method: 'DELETE', headers });
    await killAtWork(gateway, mongod, { commands, ...where }, erase);
    await expect.poll(() => running(mongod, commands)).toBe(0);
    const seen = [await read(`/v2/workspaces/${id}`), await read(`${products}/${record}`)];
    const isThere = seen[0] === 200;
    expect(seen).toEqual(isThere ? [200, 200] : [404, 404]);
    expect(await traces(id, record)).toEqual(isThere ? NOTHING : ALL);
    const again = () => service.ask('DELETE', `/v2/workspaces/${id}`, { as: 'client' });
    await expect.poll(async () => (await again()).status, { timeout: 30_000, interval: 500 }).toBe(404);
    expect([await read(`/v2/workspaces/${id}`), await read(`${products}/${record}`)]).toEqual([404, 404]);
    expect(await traces(id, record)).toEqual(ALL);
  });
});
