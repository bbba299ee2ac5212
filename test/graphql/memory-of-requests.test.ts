import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countHeld, heldBytes } from '../garbage.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const REQUESTS = 40;
/** Idle connections hold their last request each. */
const OPEN = 8;

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** The requests still in memory. */
const requests: WeakRef<IncomingMessage>[] = [];
const watch = (message: unknown) =>
  void requests.push(new WeakRef((message as { readonly request: IncomingMessage }).request));

beforeAll(async () => {
  const body = { refNumber: 'M-1', location: { name: 'Memory Terminal' } };
  const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
  expect(made.status).toBe(201);
  subscribe('http.server.request.start', watch);
});
afterAll(() => void unsubscribe('http.server.request.start', watch));

/** Sends each query a number of times, and waits until almost none of these requests is retained. */
async function leavesNothing(queryOf: (index: number) => string, times: number): Promise<void> {
  requests.length = 0;
  for (let index = 0; index < REQUESTS; index++) {
    for (let time = 0; time < times; time++) {
      const { body } = await service.graphql(queryOf(index));
      expect(body.errors).toBeUndefined();
      expect(body.data).toMatchObject({ jobs: { nodes: [{ location: { name: 'Memory Terminal' } }] } });
    }
  }
  expect(requests.length).toBe(REQUESTS * times);
  await expect.poll(() => countHeld(requests), { timeout: 20_000 }).toBeLessThanOrEqual(OPEN);
}

const list = (name: string): string =>
  `query ${name} { jobs(workspace: "${workspace.id}") { nodes { refNumber location { name } } } }`;

it('the document cache retains no request, whether seen once, twice or compiled', {
  timeout: 60_000,
}, async () => {
  await leavesNothing((index) => list(`Once${index}`), 1);
  await leavesNothing((index) => list(`Twice${index}`), 2);
  await leavesNothing((index) => list(`Often${index}`), 4);
});

describe('megabyte texts', () => {
  const TEXTS = 40;
  const padding = `#${'x'.repeat(1_000_000)}\n`;

  it.each([
    ['are not valid GraphQL', (index: number) => `{ jobs${index} (`, /Syntax Error/],
    ['ask for what does not exist', (index: number) => `{ nothing${index} }`, /Cannot query field "nothing/],
    ['are valid', (index: number) => `{ a${index}: __typename }`, undefined],
  ])('leave nothing behind if they %s, even when repeated', async (_, queryOf, error) => {
    const before = heldBytes();
    for (let index = 0; index < 2 * TEXTS; index++) {
      const { body } = await service.graphql(`${padding}${queryOf(index % TEXTS)}`);
      if (error) expect(body.errors[0].message).toMatch(error);
      else expect(body).toEqual({ data: { [`a${index % TEXTS}`]: 'Query' } });
    }
    await expect.poll(() => heldBytes() - before, { timeout: 20_000 }).toBeLessThan((TEXTS / 4) * padding.length);
  });
});
