import type { BenchRequest, Operation } from './operation.ts';
import { nestedQueries, newestPages, reads } from './requests.ts';

/** Accept-Encoding as browsers and most HTTP libraries send it; load programs send none by default. */
const accepts = 'gzip, deflate, br';

const compressed = (requests: readonly BenchRequest[]): BenchRequest[] =>
  requests.map((request) => ({ ...request, accepts }));

/** Reads by clients that accept compressed answers, or do not keep their connections open. */
export const CLIENTS: readonly Operation[] = [
  {
    name: 'compressed-read',
    title: 'read by id, compressed',
    requests: ({ stored }) => compressed(reads(stored)),
    rivals: ['handwritten'],
    differing: [],
  },
  {
    name: 'compressed-list',
    title: 'list of the 25 newest (v2), compressed',
    requests: ({ stored }) => compressed(newestPages(stored)),
    rivals: ['handwritten'],
    differing: [],
  },
  {
    name: 'compressed-nested',
    title: 'GraphQL: the 25 jobs of `nested`, compressed',
    requests: ({ stored }) => compressed(nestedQueries(stored)),
    rivals: ['handwritten'],
    differing: [],
  },
  {
    name: 'unkept-read',
    title: 'read by id, each on a connection of its own',
    requests: ({ stored }) => reads(stored).map((request) => ({ ...request, isLast: true })),
    rivals: ['handwritten'],
    differing: [],
  },
];
