import { describe, expect, it } from 'vitest';
import { makeWorkspace } from '../../service.ts';
import { dataApiFixture, service, workspace } from './data-api-fixture.ts';

dataApiFixture();

const JOBS = '/bridge/v1/data/jobs';
const LARGE = 12_000_000;

/** Vessels in a workspace whose records exceed 64 MiB in total. */
async function largeVessels(workspaceId: string): Promise<string[]> {
  const made: string[] = [];
  for (let i = 0; i < 6; i++) {
    const body = { name: `MT ${i}`, xref: `V${i}`, filler: 'y'.repeat(LARGE) };
    const { status, body: record } = await service.ask('POST', `/v2/workspaces/${workspaceId}/xrefs/transports`, {
      as: 'client',
      body,
    });
    expect(status).toBe(201);
    made.push(record.id);
  }
  return made;
}

describe('a Data API job with large records', () => {
  it('is shown in the lists of both parties, like all of their other jobs', async () => {
    const transports = await largeVessels(workspace.id);
    const path = `/workspaces/${workspace.id}/jobs`;
    const job = await service.ask('POST', path, { as: 'client', body: { transports } });
    expect(job.status).toBe(201);
    const { id: another } = await makeWorkspace(service);
    const other = await service.ask('POST', `/workspaces/${another}/jobs`, { as: 'vendor', body: {} });
    const vessels = transports.map((id, i) => ({ id, xref: `V${i}`, name: `MT ${i}` }));
    for (const page of ['', '?limit=5']) {
      const { status, body } = await service.ask('GET', `${JOBS}${page}`, { as: 'vendor' });
      expect(status, page).toBe(200);
      const bodies = new Map(body.map((shown: { id: string; body: object }) => [shown.id, shown.body]));
      expect([...bodies.keys()].sort()).toEqual([job.body.id, other.body.id].sort());
      expect(bodies.get(job.body.id)).toEqual({ transports: vessels });
    }
  });

  it('is created, and shown with their names', async () => {
    const ids = await largeVessels(workspace.id);
    const { client, vendor } = workspace.names;
    const transports = ids.map((id) => ({ id }));
    for (let time = 0; time < 2; time++) {
      const body = { client: { name: client }, vendor: { name: vendor }, transports };
      const { status, text, body: job } = await service.ask('POST', JOBS, { as: 'client', body });
      expect(status, text).toBe(201);
      expect(job.body.transports).toEqual(ids.map((id, i) => ({ id, xref: `V${i}`, name: `MT ${i}` })));
    }
    expect(await service.stores.db.collection('documents').countDocuments({ workspace: workspace.id })).toBe(2);
  });
});
