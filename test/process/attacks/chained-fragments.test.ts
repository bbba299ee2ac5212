import { beforeAll, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture();

beforeAll(async () => {
  const { id } = await makeWorkspace(service);
  const body = { refNumber: 'CHAIN', location: { name: 'Rotterdam' }, parent: null };
  await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body });
});

const FRAGMENTS = 60;

/** Each fragment spreads the next three: as a tree, it would have 10¹⁵ nodes. */
const chained = (fields: (next: string) => string): string =>
  Array.from({ length: FRAGMENTS }, (_, i) => {
    const next = [1, 2, 3].flatMap((step) => (i + step < FRAGMENTS ? `...F${i + step}` : []));
    return `fragment F${i} on Job { refNumber ${fields(next.join(' '))} }`;
  }).join(' ');

it.each([
  ['leaves', (next: string) => next],
  ['records', (next: string) => `location { name } ${next}`],
  ['parts of a document', (next: string) => `cargo { product { name } } ${next}`],
])('fragments that spread each other take the time of their text: %s', async (_what, fields) => {
  const list = `{ jobs(first: 5) { nodes { ...F0 } } } ${chained(fields)}`;
  const children = `{ jobs(first: 5) { nodes { childJobs { ...F0 } } } } ${chained(fields)}`;
  for (const query of [list, list, children, children]) {
    const began = performance.now();
    const { body } = await service.graphql(query);
    expect(body.errors).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(20_000);
  }
});
