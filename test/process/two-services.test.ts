import { describe, expect, it } from 'vitest';
import { MAX_STREAMS, openStream } from '../../src/domain/events/open-streams.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';

/** Two services in one process, each with its own database. */
describe('two services in one process', () => {
  const first = serviceFixture();
  const second = serviceFixture();

  it('do not share cached workspaces', async () => {
    const { id } = await makeWorkspace(first);
    const jobs = `/workspaces/${id}/jobs`;
    expect((await first.ask('POST', jobs, { as: 'vendor', body: { xref: 'A' } })).status).toBe(201);
    expect((await second.ask('POST', jobs, { as: 'vendor', body: { xref: 'A' } })).status).toBe(404);
    expect(first.stores.workspaces.cachedParties(id)).toBeDefined();
    expect(second.stores.workspaces.cachedParties(id)).toBeUndefined();
  });

  it("count a principal's streams separately", async () => {
    const closing = Array.from({ length: MAX_STREAMS }, () => openStream(first.stores.eventTail, 'a'));
    expect(() => openStream(first.stores.eventTail, 'a')).toThrow('You have 100 streams open');
    openStream(first.stores.eventTail, 'b')();
    openStream(second.stores.eventTail, 'a')();
    closing[0]?.();
    closing[0]?.(); // a stream is closed once
    openStream(first.stores.eventTail, 'a');
    expect(() => openStream(first.stores.eventTail, 'a')).toThrow('You have 100 streams open');
    for (const close of closing) close();
  });
});
