import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import { type FaultyMongod, startFaultyMongod } from '../faults/faulty-mongod.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';
import { VoyageMaker } from './voyage-maker.ts';

let mongod: FaultyMongod;
let service: TestService;
let workspace: string;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri });
  workspace = (await makeWorkspace(service)).id;
});
afterAll(async () => {
  await mongod.heal();
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

const FAILED = `query F($w: UUID!) {
  jobs(workspace: $w, where: { figureAudit: { passed: { eq: false } } }) { nodes { id figureAudit { passed } } }
}`;

async function failed(): Promise<{ readonly id: string; readonly figureAudit: { readonly passed: boolean } }[]> {
  const { body } = await service.graphql(FAILED, { w: workspace });
  expect(body.errors).toBeUndefined();
  return body.data.jobs.nodes;
}

it('a verdict changed by another job is listed even if the process stopped before it could mark the job', async () => {
  const warned: unknown[] = [];
  const log = { info: () => undefined, warn: (fields: { readonly err?: unknown }) => void warned.push(fields.err) };
  const end = startProjectingAudits(service.stores, log);
  const maker = new VoyageMaker(service, workspace);
  const unusual = await maker.voyage(1.05);
  for (let i = 0; i < 4; i++) await maker.voyage(1);
  await service.stores.audits.freshness.passed();
  expect(await failed()).toEqual([]); // four others make no factor
  const namespace = `${service.stores.db.databaseName}.documents`;
  const fault = await mongod.fail({ commands: ['update'], namespace, times: 1, data: { errorCode: 96 } });
  await maker.voyage(1); // the fifth makes one, which triggers an audit of the first
  await fault.met();
  await expect.poll(() => warned.length, { timeout: 20_000 }).toBeGreaterThan(0);
  await service.stores.audits.freshness.passed();
  expect(await failed()).toEqual([{ id: unusual, figureAudit: { passed: false } }]);
  await end();
});
