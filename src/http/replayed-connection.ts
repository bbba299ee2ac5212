import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const KNOWN: ReadonlySet<string> = new Set(METHODS);

/** Stands in for a method that Node's parser does not know; no path allows it. */
const STAND_IN = 'UNBIND';

/** A complete request line, and a possible beginning of one. Latin-1 maps each byte to a character. */
const REQUEST_LINE = /^(?:\r?\n)*([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}) ([!-~\x80-\xff]+) (HTTP\/1\.[01]\r?\n)/;
const BEGINNING = /^(?:\r?\n)*[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}(?: [!-~\x80-\xff]*(?: [HTP/1.0]*\r?)?)?$/;

/** A request that Node's parser refused, in a form it accepts. */
interface Amended {
  readonly bytes: Buffer;
  /** The method as sent. */
  readonly method: string;
}

/** Whether a packet that Node's parser refused can be parsed again. */
export const isAmendable = (packet: Buffer): boolean => isBeginning(packet) || amended(packet) !== undefined;

const isBeginning = (packet: Buffer): boolean => BEGINNING.test(packet.toString('latin1'));

/**
 * Percent-encodes non-ASCII bytes in the address of a request, and replaces an unknown method. Undefined if the bytes do
 * not start with a request line, or it was refused for another reason.
 */
function amended(packet: Buffer): Amended | undefined {
  const found = REQUEST_LINE.exec(packet.toString('latin1', 0, MAX_LINE));
  if (found === null) return undefined;
  const [line, method = '', target = '', version = ''] = found;
  const address = target.replace(/[\x80-\xff]/g, percentEncoded);
  if (KNOWN.has(method) && address === target) return undefined;
  const first = `${KNOWN.has(method) ? method : STAND_IN} ${address} ${version}`;
  return { method, bytes: Buffer.concat([Buffer.from(first, 'latin1'), packet.subarray(line.length)]) };
}

const MAX_LINE = 300 * 1024;

const percentEncoded = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;

const NEWLINE = 0x0a;

/**
 * A connection whose first request Node's parser reads again, amended, once its first line has arrived; it serves only that
 * request. Bytes that cannot be amended are passed on unchanged, and the parser refuses them.
 */
export class ReplayedConnection extends Duplex {
  readonly #socket: Socket;
  /** The first line as received so far. */
  readonly #line: Buffer[] = [];
  #length = 0;
  #isHandedOn = false;
  #method: string | undefined;

  constructor(socket: Socket, packet: Buffer) {
    super();
    this.#socket = socket;
    this.#line.push(packet);
    if (!isBeginning(packet)) this.#handOn();
    for (const event of ['data', 'end', 'timeout']) socket.removeAllListeners(event); // of the first parser
    socket.on('data', (more: Buffer) => {
      if (!this.#take(more)) socket.pause();
    });
    socket.once('end', () => {
      if (!this.#isHandedOn) this.#handOn();
      this.push(null);
    });
    socket.once('close', () => this.destroy());
    socket.on('error', (error) => this.destroy(error));
  }

  /** The method of its request as sent. */
  get method(): string | undefined {
    return this.#method;
  }

  /** Used to detect a stalled body. */
  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  setTimeout(ms: number, then?: () => void): this {
    this.#socket.setTimeout(ms, then);
    return this;
  }

  /** Closes the connection once everything is written, like a socket's. */
  destroySoon(): void {
    this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  #take(bytes: Buffer): boolean {
    if (this.#isHandedOn) return this.push(bytes);
    this.#line.push(bytes);
    this.#length += bytes.length;
    return bytes.includes(NEWLINE) || this.#length > MAX_LINE ? this.#handOn() : true;
  }

  #handOn(): boolean {
    const packet = Buffer.concat(this.#line.splice(0));
    const found = amended(packet);
    this.#isHandedOn = true;
    this.#method = found?.method;
    return this.push(found?.bytes ?? packet);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
