import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A receiver that answers requests with arbitrary bytes, or does anything with their connections. */
export class RawReceiver implements AsyncDisposable {
  /** The number of requests received; none has a second part. */
  requests = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', () => {
      this.requests += 1;
      this.#answer(socket);
    });
  });
  readonly #answer: (socket: Socket) => void;

  private constructor(answer: (socket: Socket) => void) {
    this.#answer = answer;
  }

  static async start(answer: (socket: Socket) => void): Promise<RawReceiver> {
    const receiver = new RawReceiver(answer);
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves after that many requests. */
  async got(count: number): Promise<void> {
    while (this.requests < count) await sleep(20);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
