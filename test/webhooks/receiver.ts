import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request to a receiver. */
export interface Received {
  /** When it came, by `performance.now()`. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a message is looked at member by member
  readonly body: any;
}

/** What a receiver does with a request: returns the status to answer with, or does anything else. */
type Behaviour = (request: Received, response: ServerResponse) => number | undefined;

/** A webhook receiver on the loopback interface. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  behave: Behaviour = () => 204;
  readonly #server = createServer(async (request, response) => {
    const at = performance.now();
    let text = '';
    for await (const chunk of request) text += chunk;
    const got = { at, path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
    this.received.push(got);
    const status = this.behave(got, response);
    if (status !== undefined) response.writeHead(status).end('a body that nobody may see');
  });

  static async start(behave?: Behaviour): Promise<Receiver> {
    const receiver = new Receiver();
    if (behave) receiver.behave = behave;
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** The messages of a type, or all, once there are that many. */
  async messages(count: number, { type = '', ms = 40_000 } = {}): Promise<Received[]> {
    const found = () => this.received.filter(({ body }) => type === '' || body.type === type);
    for (const end = performance.now() + ms; performance.now() < end && found().length < count; ) await sleep(20);
    return found();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
