import { expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

interface Named {
  readonly _id: string;
  readonly body: { readonly name: string };
}
const records = () => service.stores.db.collection<Named>('catalog_records');
const jobsMade = () => service.stores.db.collection('documents').countDocuments({ workspace: workspace.id });

const vessel = async (name: string, more: object = {}): Promise<string> => {
  const path = `/v2/workspaces/${workspace.id}/xrefs/transports`;
  const { status, body, text } = await service.ask('POST', path, { as: 'client', body: { name, ...more } });
  expect(status, text).toBe(201);
  return body.id;
};
const create = (transports: readonly object[], more: object = {}) =>
  service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { transports, ...more } });

const FILLER = 'y'.repeat(200_000);

/** The bytes of catalog records that MongoDB sent meanwhile. */
async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  const commands = await commandsDuring(service, work);
  const reads = commands.filter(({ ns, op }) => String(ns).endsWith('.catalog_records') && /query|getmore/.test(op));
  expect(reads.length).toBeGreaterThan(0);
  return reads.reduce((sum, { responseLength }) => sum + responseLength, 0);
}

it('references are resolved without reading whole records', async () => {
  const id = await vessel('MT Whole', { filler: FILLER });
  const byXref = await vessel('MT Xref', { xref: 'X', filler: FILLER });
  const byName = await vessel('MT Name', { filler: FILLER });
  const references = [{ id }, { xref: 'X' }, { name: 'mt name' }];
  for (const more of [{}, {}, { location: { name: 'New here' } }]) {
    const read = await bytesRead(async () => {
      const { status, body } = await create(references, more);
      expect([status, body.body.transports]).toEqual([201, [id, byXref, byName]]);
    });
    expect(read).toBeLessThan(10_000);
  }
  const { body: job } = await create([]);
  const read = await bytesRead(async () => {
    const path = `/workspaces/${workspace.id}/jobs/${job.id}`;
    const { status } = await service.ask('PATCH', path, { as: 'client', body: { transports: references } });
    expect(status).toBe(200);
  });
  expect(read).toBeLessThan(10_000);
});

it('a record given an xref keeps everything else, and only that record is read whole', async () => {
  const id = await vessel('MT Later', { filler: FILLER, imo: '9' });
  const other = await vessel('MT Other', { filler: FILLER });
  const read = await bytesRead(async () => {
    const again = { name: 'MT LATER', xref: 'L' };
    const { status, body } = await create([{ name: 'MT Later', xref: 'L' }, { id: other }, again, { xref: 'L' }]);
    expect([status, body.body.transports]).toEqual([201, [id, other, id, id]]);
  });
  expect(read).toBeLessThan(FILLER.length * 1.5);
  const path = `/v2/workspaces/${workspace.id}/xrefs/transports/${id}`;
  const { body: now } = await service.ask('GET', path, { as: 'client' });
  expect(now.body).toMatchObject({ name: 'MT Later', xref: 'L', imo: '9', filler: FILLER });
  const versions = await service.stores.db.collection('versions').find({ entity: id }).toArray();
  expect(versions.map(({ body: { xref, filler } }) => [xref, filler.length])).toEqual([[undefined, FILLER.length]]);
});

it('names too large in total refuse the requests that use them, before anything is stored, and no others', async () => {
  const large = await Promise.all(['A', 'B', 'C', 'D', 'E', 'F'].map((name) => vessel(`MT ${name}`)));
  const small = await vessel('MT Small');
  const references = large.map((id) => ({ id }));
  for (let time = 0; time < 2; time++) expect((await create(references)).status).toBe(201);
  await records().updateMany({ _id: { $in: large } }, { $set: { 'body.name': 'n'.repeat(12_000_000) } });
  const before = await jobsMade();
  // With its references cached, the document is inserted before they are looked at.
  const [unknown, made] = await Promise.all([create(references), create([{ id: small }])]);
  expect([unknown.status, made.status]).toEqual([503, 201]);
  expect(await jobsMade()).toBe(before + 2);
  const refused = await create(references);
  expect([refused.status, refused.body.code]).toEqual([413, 'TOO_LARGE']);
  expect((await create([...references, { name: 'MT New' }])).status).toBe(413);
  expect(await jobsMade()).toBe(before + 2);
  expect(await records().countDocuments({ 'body.name': 'MT New' })).toBe(0);
});
