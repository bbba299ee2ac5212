import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, makeWorkspace, serviceFixture, type TestWorkspace } from '../../service.ts';

const service = serviceFixture();
let workspace: TestWorkspace;

beforeEach(async () => {
  workspace = await makeWorkspace(service);
});

const jobs = () => `/workspaces/${workspace.id}/jobs`;
const locations = () => `/workspaces/${workspace.id}/catalogs/locations`;
const post = (path: string, body: object, as: 'client' | 'vendor' = 'client') =>
  service.ask('POST', path, { as, body });
const made = async (path: string, body: object): Promise<string> => {
  const { status, text, body: answer } = await post(path, body);
  expect(status, text).toBe(201);
  return answer.id;
};

const db = () => service.stores.db;
const recordsNamed = (name: string) =>
  db().collection('catalog_records').countDocuments({ workspace: workspace.id, 'body.name': name });
const documentsOf = (type: string) => db().collection('documents').countDocuments({ workspace: workspace.id, type });

/** Every way to create a document that refers to a location by id, and to a new vessel. */
const CREATIONS: Readonly<Record<string, (location: string) => Promise<Answer>>> = {
  'a job': (location) => post(jobs(), { location, transports: [{ name: 'MT New' }] }, 'vendor'),
  'a bulk': (location) => {
    const body = [{ transports: [{ name: 'MT New' }] }, { location }];
    return post(`/v2/workspaces/${workspace.id}/documents/bulk`, { type: 'svc.inspection.job', body }, 'vendor');
  },
  'a job of the Data API': (id) => {
    const { client, vendor } = workspace.names;
    const parties = { client: { name: client }, vendor: { name: vendor } };
    return post('/bridge/v1/data/jobs', { ...parties, location: { id }, transports: [{ name: 'MT New' }] });
  },
};

describe.each(Object.entries(CREATIONS))(
  '%s with new records, during the deletion of a record that it names',
  (_, send) => {
    const begun = async () => {
      const location = await made(locations(), { name: 'Port Ellery' });
      const records = db().collection<{ _id: string; deleting_at?: Date }>('catalog_records');
      await records.updateOne({ _id: location }, { $set: { deleting_at: new Date() } });
      const creating = send(location);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { records, location, creating };
    };

    it('is refused, and leaves nothing, when the record is deleted', async () => {
      const { records, location, creating } = await begun();
      await records.deleteOne({ _id: location });
      const { status, text } = await creating;
      expect(status, text).toBe(400);
      expect([await recordsNamed('MT New'), await documentsOf('svc.inspection.job')]).toEqual([0, 0]);
    });

    it('is created when the deletion is refused', async () => {
      const { records, location, creating } = await begun();
      await records.updateOne({ _id: location }, { $unset: { deleting_at: '' } });
      const { status, text } = await creating;
      expect(status, text).toBe(201);
      expect(await recordsNamed('MT New')).toBe(1);
    });
  },
);

describe('a creation with new records', () => {
  it('succeeds or fails together with its records when its parent is deleted', async () => {
    const outcomes = new Set<number>();
    for (let round = 0; round < 30; round++) {
      const job = await made(jobs(), {});
      const name = `Test ${round}`;
      const [{ status }, removed] = await Promise.all([
        post(`${jobs()}/${job}/quality`, { test: { name } }),
        service.ask('DELETE', `${jobs()}/${job}`, { as: 'vendor' }),
      ]);
      outcomes.add(status);
      expect(removed.status).toBe(200);
      expect(await recordsNamed(name)).toBe(status === 201 ? 1 : 0);
    }
    expect([201, 404]).toEqual(expect.arrayContaining([...outcomes]));
    expect(await documentsOf('svc.inspection.qualityResult')).toBe(0);
  });

  it('that names a record deleted at the same time succeeds or fails with its records', async () => {
    for (let round = 0; round < 20; round++) {
      const location = await made(locations(), { name: `Port ${round}` });
      const name = `MT ${round}`;
      const [{ status }, removed] = await Promise.all([
        post(jobs(), { location, transports: [{ name }] }),
        service.ask('DELETE', `${locations()}/${location}`, { as: 'vendor' }),
      ]);
      expect([status, removed.status]).toEqual(removed.status === 200 ? [400, 200] : [201, 409]);
      expect(await recordsNamed(name)).toBe(status === 201 ? 1 : 0);
    }
  });

  it('runs beside others in the same workspace: fifty, each with a new vessel and the same location', async () => {
    const location = await made(locations(), { name: 'Port Ellery' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => post(jobs(), { location, transports: [{ name: `MT ${i}` }] })),
    );
    expect(answers.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
    expect(await documentsOf('svc.inspection.job')).toBe(50);
  });
});
