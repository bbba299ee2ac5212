import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const A = 1;
const NOT_FOUND = 3;
/** The bytes of a message before the queried name, and of the type and class after it. */
const HEAD = 12;
const TAIL = 4;

/** A name server on the loopback interface: names resolve to 127.0.0.1, to nothing, or get no response. */
export class NameServer implements AsyncDisposable {
  /** The queried names, once for each request. */
  readonly asked: string[] = [];
  readonly #socket = createSocket('udp4');

  /** What a name resolves to; other names are unknown. */
  static async start(names: Readonly<Record<string, 'here' | 'hangs'>>): Promise<NameServer> {
    const server = new NameServer();
    server.#socket.on('message', (message, { port, address }) => {
      const { name, end } = nameIn(message);
      server.asked.push(name);
      const known = Object.entries(names).find(([one]) => name === one || name.endsWith(`.${one}`))?.[1];
      if (known !== 'hangs') server.#socket.send(answerTo(message, end, known === 'here'), port, address);
    });
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}

function nameIn(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEAD;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** A response to a question (RFC 1035, 4.1): one address, no address of that family, or no such name. */
function answerTo(message: Buffer, end: number, isKnown: boolean): Buffer {
  const isFound = isKnown && message.readUInt16BE(end) === A;
  const head = Buffer.alloc(HEAD);
  message.copy(head, 0, 0, 2); // the id
  head.writeUInt16BE(0x8180 + (isKnown ? 0 : NOT_FOUND), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(isFound ? 1 : 0, 6);
  const address = Buffer.from([0xc0, HEAD, 0, A, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([head, message.subarray(HEAD, end + TAIL), isFound ? address : Buffer.alloc(0)]);
}
