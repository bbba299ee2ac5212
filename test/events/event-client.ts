import { setTimeout as sleep } from 'node:timers/promises';
import { CALLERS, type Caller, type TestService } from '../service.ts';

/** One message of a stream. */
export interface Message {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: data may be any JSON
  readonly data: any;
}

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

/** A stream of Server-Sent Events that is being read; what came so far stands in `messages`. */
export class EventClient {
  readonly messages: Message[] = [];
  status = 0;
  /** What a browser would send when it comes back. */
  lastId = '';
  #text = '';
  readonly #hangUp = new AbortController();
  #ended = false;

  /** Subscribes as a client of the graphql-sse protocol does; comes back when the stream is open. */
  static async open({ url }: Pick<TestService, 'url'>, options: Following = {}): Promise<EventClient> {
    const { query = DOCUMENT_CHANGED, variables = {}, as, key, headers } = options;
    const client = new EventClient();
    const credential = key ?? CALLERS[as ?? 'client'];
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${credential}`,
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      signal: client.#hangUp.signal,
    });
    client.status = response.status;
    void client.#read(response.body);
    await sleep(150); // the subscription is made after the headers left
    return client;
  }

  /** The events that came, when there are at least so many. */
  // biome-ignore lint/suspicious/noExplicitAny: an event holds what was asked for
  async events(count: number, ms = 15_000): Promise<any[]> {
    const found = () => this.messages.flatMap(({ data }) => data?.data?.documentChanged ?? []);
    await this.until(() => found().length >= count, ms);
    return found();
  }

  async until(fits: () => boolean, ms = 15_000): Promise<void> {
    for (const end = Date.now() + ms; Date.now() < end && !fits(); ) await sleep(20);
  }

  get ended(): boolean {
    return this.#ended;
  }

  close(): void {
    this.#hangUp.abort();
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body ?? []) this.#take(decoder.decode(chunk, { stream: true }));
    } catch {
      // hung up
    }
    this.#ended = true;
  }

  #take(text: string): void {
    this.#text += text;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w*: ?/, '')]));
      this.lastId = fields.get('id') ?? this.lastId;
      const event = fields.get('event');
      if (!event) continue;
      const data = fields.get('data');
      this.messages.push({ id: fields.get('id'), event, data: data ? JSON.parse(data) : undefined });
    }
  }
}
