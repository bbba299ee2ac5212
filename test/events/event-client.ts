import { CALLERS, type Caller, type TestService } from '../service.ts';
import { StreamClient } from './stream-client.ts';

export interface Following {
  readonly query?: string;
  readonly variables?: object;
  readonly as?: Caller | undefined;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const DOCUMENT_CHANGED = `subscription Follow($workspace: UUID, $types: [String!], $after: ID) {
  documentChanged(workspace: $workspace, types: $types, after: $after) {
    id kind by workspaceId type documentId versionId document { id versionId body }
  }
}`;

/** A subscription, as a graphql-sse client follows it. */
export class EventClient extends StreamClient {
  /** Subscribes; resolves once the stream is open. */
  static async open({ url }: Pick<TestService, 'url'>, options: Following = {}): Promise<EventClient> {
    const { query = DOCUMENT_CHANGED, variables = {}, as = 'client', key = CALLERS[as], headers } = options;
    const client = new EventClient();
    await client.follow(`${url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    });
    return client;
  }

  /** The events received, once there are at least that many. */
  // biome-ignore lint/suspicious/noExplicitAny: an event holds what was asked for
  async events(count: number, ms = 30_000): Promise<any[]> {
    const found = () => this.messages.flatMap(({ data }) => data?.data?.documentChanged ?? []);
    await this.until(() => found().length >= count, ms);
    return found();
  }
}
