import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApolloClient, gql } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { type ClientOptions, createClient } from 'graphql-sse';
import { beforeAll, describe, expect, it } from 'vitest';
import { CALLERS, serviceFixture, startTestService, workspaceFixture } from '../../service.ts';
import { allRecorded, projectorBegins } from '../../webhooks/webhook-fixture.ts';

const FOLLOW = /* GraphQL */ `
  subscription Follow($workspace: UUID) {
    documentChanged(workspace: $workspace) {
      id
      kind
      documentId
      document {
        ... on Job {
          id
          refNumber
        }
      }
    }
  }
`;

interface Followed {
  readonly documentChanged: {
    readonly id: string;
    readonly documentId: string;
    readonly document: { readonly refNumber: string } | null;
  };
}

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);

beforeAll(() => projectorBegins(service));

async function makeJob(refNumber: string): Promise<string> {
  const path = `/workspaces/${workspace.id}/jobs`;
  const { status, body } = await service.ask('POST', path, { as: 'client', body: { refNumber } });
  expect(status).toBe(201);
  return body.id;
}

const headers = { authorization: `Bearer ${CALLERS.client}` };

/** Fetch that tracks which of its streams are open. */
function watched() {
  const streams: Promise<Response>[] = [];
  const signals: (AbortSignal | null | undefined)[] = [];
  const asking = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const answer = fetch(input, init);
    signals.push(init.signal);
    streams.push(answer);
    return answer;
  };
  const opened = async (): Promise<string | null> => {
    await expect.poll(() => streams).toHaveLength(1);
    const response = await streams[0]; // its headers are sent once the subscription is made
    return response?.headers.get('content-type') ?? null;
  };
  return { asking, opened, ended: () => signals.every((signal) => signal?.aborted) };
}

/** The client from the documentation, for this service, using that fetch for its streams. */
async function documentedClient(fetchFn: typeof fetch): Promise<ApolloClient> {
  const page = readFileSync(new URL('../../../docs/graphql.md', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n(import \{ ApolloClient[\s\S]*?)```/.exec(page) ?? [];
  const scope: Record<string, unknown> = {};
  for (const [, names = '', from = ''] of code.matchAll(/^import \{ (.*) \} from '(.*)';$/gm)) {
    const given = (await import(from)) as Record<string, unknown>;
    for (const name of names.split(', ')) scope[name] = given[name];
  }
  scope.createClient = (options: ClientOptions) => createClient({ ...options, fetchFn });
  const body = code.replace(/^import .*$/gm, '').replace('http://127.0.0.1:4000', service.url);
  return new Function(...Object.keys(scope), `${body}; return client;`)(...Object.values(scope));
}

describe('Apollo Client over graphql-sse', () => {
  it('gets a created job, and none after unsubscribing, with the link of the documentation', async () => {
    const { asking, opened, ended } = watched();
    const client = await documentedClient(asking as typeof fetch);
    const { data: asked } = await client.query({ query: gql('{ viewer { name } }') });
    expect(asked).toMatchObject({ viewer: { name: expect.any(String) } });
    const heard: Followed[] = [];
    const following = client
      .subscribe<Followed>({ query: gql(FOLLOW), variables: { workspace: workspace.id } })
      .subscribe(({ data }) => void (data && heard.push(data)));
    expect(await opened()).toMatch(/^text\/event-stream/);
    const id = await makeJob('by Apollo');
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard[0]?.documentChanged).toMatchObject({ kind: 'CREATED', documentId: id });
    expect(client.cache.extract()).toMatchObject({ [`Job:${id}`]: { refNumber: 'by Apollo' } });
    following.unsubscribe();
    expect(ended()).toBe(true);
    await makeJob('unheard');
    await allRecorded(service);
    await sleep(500);
    expect(heard).toHaveLength(1);
  });
});

describe('urql', () => {
  it('gets a created job, and none after unsubscribing', async () => {
    const { asking, opened, ended } = watched();
    const client = new Client({
      url: `${service.url}/graphql`,
      fetch: asking as typeof fetch,
      fetchOptions: { headers },
      fetchSubscriptions: true,
      preferGetMethod: false,
      exchanges: [fetchExchange],
    });
    const heard: (Followed | undefined)[] = [];
    const following = client
      .subscription<Followed>(FOLLOW, { workspace: workspace.id })
      .subscribe(({ data, error }) => {
        expect(error).toBeUndefined();
        heard.push(data);
      });
    expect(await opened()).toMatch(/^text\/event-stream/);
    const id = await makeJob('by urql');
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard[0]?.documentChanged).toMatchObject({
      ...{ kind: 'CREATED', documentId: id, document: { refNumber: 'by urql' } },
    });
    following.unsubscribe();
    await expect.poll(ended).toBe(true);
    await makeJob('unheard');
    await allRecorded(service);
    await sleep(500);
    expect(heard).toHaveLength(1);
  });
});

describe('graphql-sse', () => {
  it('reconnects when its gateway stopped, without losing or repeating events', async () => {
    const stopping = await startTestService({ database: service.stores.db.databaseName });
    const gateways = [stopping, service];
    const heard: string[] = [];
    const missed: string[] = [];
    let last: string | undefined;
    const { asking, opened } = watched();
    const client = createClient({
      url: () => `${gateways[0]?.url}/graphql`,
      headers: () => ({ ...headers, ...(last && { 'last-event-id': last }) }),
      fetchFn: asking,
      retryAttempts: Number.POSITIVE_INFINITY,
      retry: async () => {
        if (missed.length === 0) missed.push(await makeJob('while away 1'), await makeJob('while away 2'));
      },
    });
    const ends: unknown[] = [];
    client.subscribe<Followed>(
      { query: FOLLOW, variables: { workspace: workspace.id } },
      {
        next: ({ data }) => {
          last = data?.documentChanged.id;
          heard.push(data?.documentChanged.documentId ?? 'an error');
        },
        error: (error) => ends.push(error),
        complete: () => ends.push('complete'),
      },
    );
    await opened();
    const before = [await makeJob('before 1'), await makeJob('before 2')];
    await expect.poll(() => heard).toEqual(before);
    gateways.shift();
    stopping.stores.eventTail.close();
    await expect.poll(() => heard.length).toBe(4);
    await stopping.stop();
    const after = await makeJob('after');
    await expect.poll(() => heard).toEqual([...before, ...missed, after]);
    expect(ends).toEqual([]);
    client.dispose();
    await expect.poll(() => ends).toEqual(['complete']);
  });
});
