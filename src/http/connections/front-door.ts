import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { holdContinue } from '../bodies/expect-continue.ts';
import { type KnownHosts, originForm } from '../known-hosts.ts';
import { answerHalfClosed } from './half-closed.ts';
import type { Handler } from './handler.ts';
import { inRequestOrder } from './request-turns.ts';

/** What every request must pass. */
interface FrontDoorParts {
  readonly serve: Handler;
  /** The hosts served; undefined to serve any. */
  readonly hosts: KnownHosts | undefined;
  /** Answers a rejected request. */
  refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void;
  /** How long a client may stop reading an answer. */
  readonly readerStallMs: number;
}

/** How long the rest of a body is received after its request was answered, in milliseconds. */
const LINGER_MS = 30_000;

/**
 * Puts a server in front of a handler (contract §12): requests of a connection are served in turn, even if the client has
 * closed its side; bodies are requested only when wanted, foreign hosts are refused, and clients that stop reading are cut
 * off, as are bodies that go on long after their answer.
 */
export function openFrontDoor(server: Server, { serve, hosts, refuse, readerStallMs }: FrontDoorParts): void {
  const begin = answerHalfClosed(server);
  const enter = inRequestOrder((request, response) => {
    begin(request);
    if (hasBody(request)) response.prependOnceListener('finish', () => receiveRest(request));
    try {
      hosts?.check(request);
    } catch (error) {
      refuse(request, response, error);
      return;
    }
    request.url = originForm(request.url ?? '/');
    serve(request, response);
  });
  cutOffReaders(server, readerStallMs);
  server.on('request', enter);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    holdContinue(request, response);
    enter(request, response);
  });
}

/** The number of checks of readers' progress per stall timeout. */
const LOOKS = 12;

/** How much a connection's reader had taken when that last changed, or when nothing was pending. */
interface Progress {
  taken: number;
  since: number;
}

/**
 * Closes connections whose clients do not read pending data. Node's own socket timeout grants twice the time if anything
 * moved in its first half.
 */
function cutOffReaders(server: Server, stallMs: number): void {
  const readers = new Map<Socket, Progress>();
  server.on('connection', (socket) => {
    if (!(socket instanceof Socket)) return;
    readers.set(socket, { taken: 0, since: 0 });
    socket.once('close', () => readers.delete(socket));
  });
  const look = (): void => {
    const now = performance.now();
    for (const [socket, progress] of readers) {
      const taken = takenOf(socket);
      if (socket.writableLength === 0 || taken !== progress.taken) {
        progress.taken = taken;
        progress.since = now;
      } else if (now - progress.since >= stallMs) socket.destroy();
    }
  };
  const looking = setInterval(look, stallMs / LOOKS).unref();
  server.once('close', () => clearInterval(looking));
}

/** A socket with Node's internal handle, which counts the bytes of a long write as the system takes them. */
type NodeSocket = Socket & {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
};

function takenOf({ _handle }: NodeSocket): number {
  return _handle ? _handle.bytesWritten - _handle.writeQueueSize : 0;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Receives the rest of a body whose request was answered, for a limited time. Node closes a connection that is not kept alive as
 * soon as the answer is written: the sender would get a reset, and might never read the answer (RFC 9112 §9.6). Until the body has
 * ended, only our side is closed.
 */
function receiveRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const destroySoon = socket.destroySoon.bind(socket);
  let isLast = false;
  socket.destroySoon = () => {
    isLast = true;
    socket.end();
    request.resume();
  };
  request.once('close', () => {
    clearTimeout(timer);
    socket.destroySoon = destroySoon;
    if (isLast) destroySoon();
  });
}
