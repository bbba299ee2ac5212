import type { Operation } from './operation.ts';
import { NESTED, post, READ_WORKSPACES } from './requests.ts';

/** The number of texts in one turn: the same for each connection. */
const TEXTS = 640;

let seen = 0;

/** A query text that nobody has sent before, so nothing about it is cached. */
export const UNSEEN: readonly Operation[] = [
  {
    name: 'ad-hoc',
    title: 'GraphQL: the 25 jobs of `nested`, by a text that was never seen before',
    requests: ({ stored }) =>
      Array.from({ length: TEXTS }, (_, index) => {
        const workspace = stored.workspaces[READ_WORKSPACES[index % READ_WORKSPACES.length] ?? 0]?._id;
        const query = NESTED.replace('NewestJobs', `Unseen${(seen++).toString(36)}`);
        return post('/graphql', { query, variables: { workspace } });
      }),
    once: true,
    differing: [],
  },
];
