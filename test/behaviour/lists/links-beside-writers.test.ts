import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { type FaultyMongod, startFaultyMongod } from '../../faults/faulty-mongod.ts';
import { makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../../service.ts';

const JOBS = 1_300;
/** How long MongoDB holds up the reads of a list after its first, in milliseconds, so that others delete meanwhile. */
const HELD_UP = 2_000;

let mongod: FaultyMongod;
let service: TestService;
let workspace: TestWorkspace;
let ids: readonly string[];
let model: StoredDocument | null;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri });
  workspace = await makeWorkspace(service);
  const jobs = Array.from({ length: JOBS }, (_, n) => ({ refNumber: `M${n % 400}`, cargo: { quantity: n % 300 } }));
  const body = { type: 'svc.inspection.job', body: jobs };
  const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
  ids = (await service.ask('POST', path, { as: 'client', body })).body.map(({ id }: { id: string }) => id);
  model = await documents().findOne({ workspace: workspace.id, type: 'svc.inspection.job' });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

const documents = () => mongod.client.db(service.stores.db.databaseName).collection<StoredDocument>('documents');

/** Stores a copy of a job that is older than all others. */
async function add(refNumber: string, quantity: number): Promise<string> {
  if (!model) throw new Error('There is no job.');
  const _id = newId();
  const body = { ...model.body, refNumber, cargo: { quantity } };
  await documents().insertOne({ ...model, _id, version_id: newId(), created_at: new Date(0), body });
  return _id;
}

const answer = async (path: string) => {
  const { body, headers } = await service.ask('GET', path, { as: 'client' });
  const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
  return { found: body.map(({ id }: { id: string }) => id) as string[], next: link.replace(service.url, '') };
};

it.each(['refNumber', 'refNumber:desc', 'cargo.quantity', 'cargo.quantity:desc', 'created_at:asc'])(
  'a page of more than 1,000 by %s ends where its link goes on, whatever is deleted while it is read',
  async (sort) => {
    const ends = [await add('A', -1), await add('Z', 1_000)];
    const namespace = `${service.stores.db.databaseName}.documents`;
    const data = { blockConnection: true, blockTimeMS: HELD_UP };
    const { met } = await mongod.fail({ commands: ['find'], namespace, skip: 1, data });
    const path = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&sort=${sort}&limit=1100`;
    const reading = answer(path);
    await met();
    await documents().deleteMany({ _id: { $in: ends } });
    await mongod.heal();
    const { found, next } = await reading;
    const { found: others } = await answer(next);
    expect(found).toHaveLength(1_100);
    expect([...found, ...others].filter((id) => !ends.includes(id)).toSorted()).toEqual(ids.toSorted());
  },
  60_000,
);
