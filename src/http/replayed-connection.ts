import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const KNOWN: ReadonlySet<string> = new Set(METHODS);

/** What Node's parser reads in place of a method that it does not know; no path takes it. */
const STAND_IN = 'UNBIND';

/** The first line of a request, and what may be the beginning of one. Latin-1 has a character for each byte. */
const REQUEST_LINE = /^(?:\r?\n)*([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}) ([!-~\x80-\xff]+) (HTTP\/1\.[01]\r?\n)/;
const BEGINNING = /^(?:\r?\n)*[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}(?: [!-~\x80-\xff]*(?: [HTP/1.0]*\r?)?)?$/;

/** A request that Node's parser refused, in a form that it takes. */
interface Amended {
  readonly bytes: Buffer;
  /** The method as sent. */
  readonly method: string;
}

/** Whether a packet that Node's parser refused may be read once more. */
export const isAmendable = (packet: Buffer): boolean => isBeginning(packet) || amended(packet) !== undefined;

const isBeginning = (packet: Buffer): boolean => BEGINNING.test(packet.toString('latin1'));

/**
 * Percent-encodes what is not ASCII in the address of a request, and replaces a method that is unknown. Undefined if the
 * bytes do not start with a request, or neither is why it was refused.
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
 * A connection whose first request Node's parser reads once more, as amended, when its first line has come; it serves that
 * request alone. What cannot be amended is handed on as it is, and refused by that parser.
 */
export class ReplayedConnection extends Duplex {
  readonly #socket: Socket;
  /** What has come of the first line. */
  readonly #line: Buffer[] = [];
  #length = 0;
  #isHandedOn = false;
  #method: string | undefined;

  constructor(socket: Socket, packet: Buffer) {
    super();
    this.#socket = socket;
    this.#line.push(packet);
    if (!isBeginning(packet)) this.#handOn();
    for (const event of ['data', 'end', 'timeout']) socket.removeAllListeners(event); // those of the first parser
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

  /** By which a body that stalls is noticed. */
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

  /** Ends the connection once everything is written, as that of a socket. */
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
