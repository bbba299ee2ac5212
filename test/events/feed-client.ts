import { setTimeout as sleep } from 'node:timers/promises';
import { CALLERS, type Caller } from '../service.ts';

/** One event of a stream. */
interface FeedEvent {
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: data may be any JSON
  readonly data: any;
}

/** The change feed, read as Server-Sent Events. */
export class FeedClient {
  readonly #events: FeedEvent[] = [];
  readonly #hangUp = new AbortController();
  #text = '';
  status = 0;
  headers: Headers | undefined;
  opened = false;
  ended = false;

  /** Asks for the stream; comes back when its headers are there. */
  static async open(
    url: string,
    { path = '/v2/changes', as = 'client', headers = {} }: { path?: string; as?: Caller; headers?: object } = {},
  ): Promise<FeedClient> {
    const client = new FeedClient();
    const response = await fetch(`${url}${path}`, {
      headers: { Authorization: `Bearer ${CALLERS[as]}`, Accept: 'text/event-stream', ...headers },
      signal: client.#hangUp.signal,
    });
    client.status = response.status;
    client.headers = response.headers;
    void client.#read(response.body);
    return client;
  }

  /** The events that came, when there are at least so many. */
  async events(count: number): Promise<readonly FeedEvent[]> {
    await this.until(() => this.#events.length >= count);
    return this.#events;
  }

  async until(fits: () => boolean, ms = 15_000): Promise<void> {
    for (const end = Date.now() + ms; Date.now() < end && !fits(); ) await sleep(20);
  }

  close(): void {
    this.#hangUp.abort();
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body ?? []) this.#take(decoder.decode(chunk, { stream: true }));
    } catch {
      // hung up, or broken off
    }
    this.ended = true;
  }

  #take(text: string): void {
    this.opened = true;
    this.#text += text;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w*: ?/, '')]));
      const data = fields.get('data');
      if (data) this.#events.push({ id: fields.get('id'), data: JSON.parse(data) });
    }
  }
}
