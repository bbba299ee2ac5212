import { setTimeout as sleep } from 'node:timers/promises';
import { OURS, type Running } from '../contestants.ts';

const CHANGES = 'subscription Changes($workspace: UUID!) { documentChanged(workspace: $workspace) { documentId } }';

/** The time limit for the last events. */
const LATEST_MS = 10_000;

/** A client that is subscribed to the events of a workspace. */
export interface Client {
  /** The arrival times of events, by document id. */
  readonly arrivals: ReadonlyMap<string, number>;
  close(): void;
}

/** A subscription: to which workspace, with whose key. */
interface Subscription {
  readonly workspace: string;
  readonly key: string;
}

/** Subscribes to a workspace over server-sent events: by GraphQL, or by the hand-written contestant's own path. */
export async function subscribe({ name, url }: Running, { workspace, key }: Subscription): Promise<Client> {
  const stop = new AbortController();
  const headers = { Authorization: `Bearer ${key}`, Accept: 'text/event-stream', 'Content-Type': 'application/json' };
  const response =
    name === OURS.name
      ? await fetch(`${url}/graphql`, {
          ...{ method: 'POST', headers, signal: stop.signal },
          body: JSON.stringify({ query: CHANGES, variables: { workspace } }),
        })
      : await fetch(`${url}/changes?workspace=${workspace}`, { headers, signal: stop.signal });
  if (!response.ok || !response.body) throw new Error(`${name} refuses to subscribe: ${response.status}`);
  const arrivals = new Map<string, number>();
  void read(response.body, arrivals).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return { arrivals, close: () => stop.abort() };
}

async function read(stream: ReadableStream<Uint8Array>, arrivals: Map<string, number>): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, id] = /"documentId":"([^"]+)"/.exec(line) ?? [];
      if (id && !arrivals.has(id)) arrivals.set(id, performance.now());
    }
  }
}

/** Waits until every client has received the events of all these documents. */
export async function arrived(clients: readonly Client[], documents: Iterable<string>): Promise<void> {
  const ids = [...documents];
  const isThere = ({ arrivals }: Client) => ids.every((id) => arrivals.has(id));
  for (const deadline = performance.now() + LATEST_MS; !clients.every(isThere); await sleep(20)) {
    if (performance.now() > deadline) throw new Error(`not every event arrived within ${LATEST_MS / 1_000} s`);
  }
}
