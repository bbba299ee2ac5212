import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, startTestService, type TestService } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';
import { FeedClient } from './feed-client.ts';

const ROUNDS = 4;
const service = serviceFixture({ records: true });
/** Another gateway on the same database, which learns of an acceptance up to a second later. */
let other: TestService;
let elsewhere: string;

beforeAll(async () => {
  other = await startTestService({ database: service.stores.db.databaseName });
  elsewhere = (await makeWorkspace(service)).id;
  await projectorBegins(service);
});
afterAll(() => other.stop());

const jobIn = async (workspace: string): Promise<string> =>
  (await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} })).body.id;

async function asVendor(mutation: 'acceptWorkspace' | 'declineWorkspace', id: string): Promise<void> {
  const query = `mutation ($id: UUID!) { ${mutation}(id: $id) { id } }`;
  expect((await service.graphql(query, { id }, 'vendor')).body.errors).toBeUndefined();
}

/** A workspace that the vendor declined, with activity since. */
async function declined(): Promise<string> {
  const { id } = await makeWorkspace(service);
  await asVendor('declineWorkspace', id);
  await jobIn(id);
  return id;
}

const newest = async (): Promise<string> =>
  (await other.ask('GET', '/v2/changes?after=newest', { as: 'vendor' })).body.next;

describe('an event in a declined workspace right after another gateway accepted it again', () => {
  it('arrives on a stream over all workspaces', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const workspace = await declined();
      const stream = await FeedClient.open(other.url, { path: `/v2/changes?after=${await newest()}`, as: 'vendor' });
      const first = await jobIn(elsewhere);
      await stream.events(1);
      await asVendor('acceptWorkspace', workspace);
      const jobs = [first, await jobIn(workspace), await jobIn(elsewhere)];
      const events = await stream.events(3);
      stream.close();
      expect(events.map(({ data }) => data.document_id)).toEqual(jobs);
    }
  }, 120_000);

  it('appears on the pages of the feed', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const workspace = await declined();
      let after = await newest();
      const seen: string[] = [];
      const page = async (): Promise<void> => {
        const { body } = await other.ask('GET', `/v2/changes?after=${after}&wait=5`, { as: 'vendor' });
        seen.push(...body.changes.map((change: { document_id: string }) => change.document_id));
        after = body.next;
      };
      const first = await jobIn(elsewhere);
      await page();
      await asVendor('acceptWorkspace', workspace);
      const second = await jobIn(workspace);
      await page();
      const third = await jobIn(elsewhere);
      while (!seen.includes(third)) await page();
      expect(seen).toEqual([first, second, third]);
    }
  }, 120_000);
});
