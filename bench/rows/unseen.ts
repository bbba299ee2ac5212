import type { Operation } from './operation.ts';
import { NESTED, post, READ_WORKSPACES } from './requests.ts';

/** Texts of one turn: the same number for each connection. */
const TEXTS = 640;

let seen = 0;

/** A query whose text nobody has sent before: everything about it has to be found out. */
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
