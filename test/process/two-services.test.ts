import { describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../service.ts';

/** Two services in one process, each over a database of its own. */
describe('two services in one process', () => {
  const first = serviceFixture();
  const second = serviceFixture();

  it('do not share what they know of workspaces', async () => {
    const { id } = await makeWorkspace(first);
    const jobs = `/workspaces/${id}/jobs`;
    expect((await first.ask('POST', jobs, { as: 'vendor', body: { xref: 'A' } })).status).toBe(201);
    expect((await second.ask('POST', jobs, { as: 'vendor', body: { xref: 'A' } })).status).toBe(404);
    expect(first.stores.workspaces.cachedParties(id)).toBeDefined();
    expect(second.stores.workspaces.cachedParties(id)).toBeUndefined();
  });
});
