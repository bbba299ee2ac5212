import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { beforeAll, describe, expect, it } from 'vitest';
import { CALLERS, serviceFixture, workspaceFixture } from '../service.ts';

const JOBS = 7;
const PAGE = /* GraphQL */ `
  query Jobs($workspace: UUID!, $first: Int, $after: String, $last: Int, $before: String) {
    jobs(workspace: $workspace, first: $first, after: $after, last: $last, before: $before, order: [{ refNumber: asc }]) {
      edges {
        cursor
        node {
          id
          refNumber
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`;
const ONE = /* GraphQL */ `
  query Job($id: UUID!) {
    job(id: $id) {
      id
      refNumber
      status
      notes
      workspace {
        id
        description
      }
    }
  }
`;
const CHANGE = /* GraphQL */ `
  mutation Change($id: UUID!, $patch: JobPatch!) {
    updateJob(id: $id, patch: $patch) {
      id
      status
      notes
    }
  }
`;

interface JobPage {
  readonly jobs: {
    readonly edges: readonly { readonly node: { readonly id: string; readonly refNumber: string } }[];
    readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
      Readonly<Record<'startCursor' | 'endCursor', string>>;
  };
}
interface OneJob {
  readonly job: { readonly id: string; readonly status: string | null; readonly notes: string | null };
}

const service = serviceFixture();
const workspace = workspaceFixture(service);
let ids: string[];
let sent: { readonly body: Record<string, unknown>; readonly status: number }[];

beforeAll(async () => {
  ids = [];
  for (let i = 0; i < JOBS; i++) {
    const { body } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'client',
      body: { refNumber: `R-${i}`, status: 'pending' },
    });
    ids.push(body.id);
  }
});

/** Fetch with a key, recording what a client sent. */
const watched = () => {
  sent = [];
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${CALLERS.client}` };
    const response = await fetch(input, { ...init, headers });
    sent.push({ body: JSON.parse(String(init.body)), status: response.status });
    return response;
  };
};

const namesOf = ({ jobs }: JobPage) => jobs.edges.map(({ node }) => node.refNumber);

describe('Apollo Client', () => {
  const start = (persisted = false) => {
    const http = new HttpLink({ uri: `${service.url}/graphql`, fetch: watched() });
    const hash = new PersistedQueryLink({ sha256: (text: string) => createHash('sha256').update(text).digest('hex') });
    return new ApolloClient({
      link: persisted ? ApolloLink.from([hash, http]) : http,
      cache: new InMemoryCache({
        typePolicies: { Query: { fields: { jobs: relayStylePagination(['workspace', 'order']) } } },
      }),
    });
  };

  it('pages forward and backward', async () => {
    const client = start();
    const query = client.watchQuery<JobPage>({ query: gql(PAGE), variables: { workspace: workspace.id, first: 3 } });
    let page = (await query.refetch()).data as JobPage;
    expect(namesOf(page)).toEqual(['R-0', 'R-1', 'R-2']);
    while (page.jobs.pageInfo.hasNextPage) {
      await query.fetchMore({ variables: { after: page.jobs.pageInfo.endCursor } });
      page = query.getCurrentResult().data as JobPage;
    }
    expect(namesOf(page)).toEqual(Array.from({ length: JOBS }, (_, i) => `R-${i}`));
    expect(sent).toHaveLength(3);

    const fresh = start();
    const last = fresh.watchQuery<JobPage>({ query: gql(PAGE), variables: { workspace: workspace.id, last: 3 } });
    page = (await last.refetch()).data as JobPage;
    expect(namesOf(page)).toEqual(['R-4', 'R-5', 'R-6']);
    await last.fetchMore({ variables: { before: page.jobs.pageInfo.startCursor } });
    expect(namesOf(last.getCurrentResult().data as JobPage)).toEqual(['R-1', 'R-2', 'R-3', 'R-4', 'R-5', 'R-6']);
  });

  it('caches entities by id, and updates them where shown', async () => {
    const client = start();
    const id = ids[0] ?? '';
    await client.query({ query: gql(ONE), variables: { id } });
    const { data: kept } = await client.query<OneJob>({ query: gql(ONE), variables: { id } });
    expect([sent.length, kept?.job.status]).toEqual([1, 'pending']);
    expect(client.cache.extract()).toHaveProperty(`Job:${id}`);
    await client.mutate({ mutation: gql(CHANGE), variables: { id, patch: { status: 'active', notes: 'by Apollo' } } });
    const shown = client.readQuery<OneJob>({ query: gql(ONE), variables: { id } });
    expect([sent.length, shown?.job.status, shown?.job.notes]).toEqual([2, 'active', 'by Apollo']);
  });

  it('shows errors by their codes', async () => {
    const client = start();
    const change = client.mutate({ mutation: gql(CHANGE), variables: { id: ids[0], patch: { status: 'late' } } });
    await expect(change).rejects.toMatchObject({ errors: [{ extensions: { code: 'INVALID_INPUT' } }] });
  });

  it('identifies operations by their hash', async () => {
    const client = start(true);
    for (const id of ids.slice(0, 3)) {
      const { data } = await client.query<OneJob>({ query: gql(ONE), variables: { id } });
      expect(data?.job.id).toBe(id);
    }
    expect(sent.map(({ body }) => 'query' in body)).toEqual([false, true, false, false]);
  });
});

describe('urql', () => {
  const start = () =>
    new Client({
      url: `${service.url}/graphql`,
      fetch: watched() as typeof fetch,
      preferGetMethod: false,
      exchanges: [cacheExchange({ resolvers: { Query: { jobs: relayPagination() } } }), fetchExchange],
    });

  it('pages forward and backward', async () => {
    const client = start();
    let page: JobPage | undefined;
    let after: string | undefined;
    do {
      const { data, error } = await client.query<JobPage>(PAGE, {
        workspace: workspace.id,
        first: 3,
        ...(after && { after }),
      });
      expect(error).toBeUndefined();
      page = data;
      after = page?.jobs.pageInfo.endCursor;
    } while (page?.jobs.pageInfo.hasNextPage);
    expect(page && namesOf(page)).toEqual(Array.from({ length: JOBS }, (_, i) => `R-${i}`));
    expect(sent).toHaveLength(3);

    const back = start();
    const { data: last } = await back.query<JobPage>(PAGE, { workspace: workspace.id, last: 3 });
    expect(last && namesOf(last)).toEqual(['R-4', 'R-5', 'R-6']);
    const before = last?.jobs.pageInfo.startCursor;
    const { data: more } = await back.query<JobPage>(PAGE, { workspace: workspace.id, last: 3, before });
    expect(more && namesOf(more)).toEqual(['R-1', 'R-2', 'R-3', 'R-4', 'R-5', 'R-6']);
  });

  it('caches entities by id, and updates them where shown', async () => {
    const client = start();
    const id = ids[1] ?? '';
    await client.query<OneJob>(ONE, { id });
    const { data: kept } = await client.query<OneJob>(ONE, { id });
    expect([sent.length, kept?.job.status]).toEqual([1, 'pending']);
    const { error } = await client.mutation(CHANGE, { id, patch: { status: 'complete', notes: 'by urql' } });
    expect(error).toBeUndefined();
    const { data: shown } = await client.query<OneJob>(ONE, { id });
    expect([sent.length, shown?.job.status, shown?.job.notes]).toEqual([2, 'complete', 'by urql']);
  });

  it('shows errors by their codes', async () => {
    const { error } = await start().mutation(CHANGE, { id: ids[1], patch: { status: 'late' } });
    expect(error?.graphQLErrors[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT' });
  });
});
