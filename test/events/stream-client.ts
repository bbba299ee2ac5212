import { setTimeout as sleep } from 'node:timers/promises';

/** One message of a stream. */
export interface Message {
  readonly id: string | undefined;
  readonly event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: data may be any JSON
  readonly data: any;
}

/** A stream of Server-Sent Events being read; what has arrived is in `messages`. */
export class StreamClient {
  readonly messages: Message[] = [];
  status = 0;
  headers: Headers | undefined;
  /** Whether anything arrived. */
  opened = false;
  ended = false;
  /** What a browser would send when reconnecting. */
  lastId = '';
  #text = '';
  readonly #hangUp = new AbortController();

  async until(fits: () => boolean, ms = 30_000): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end && !fits(); ) await sleep(20);
  }

  close(): void {
    this.#hangUp.abort();
  }

  /** Requests the stream; resolves once its headers are there. */
  protected async follow(url: string, request: RequestInit): Promise<void> {
    const response = await fetch(url, { ...request, signal: this.#hangUp.signal });
    this.status = response.status;
    this.headers = response.headers;
    void this.#read(response.body);
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
      this.lastId = fields.get('id') ?? this.lastId;
      const [event, data] = [fields.get('event'), fields.get('data')];
      if (event || data) this.messages.push({ id: fields.get('id'), event, data: data ? JSON.parse(data) : undefined });
    }
  }
}
