import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { holdContinue } from '../bodies/expect-continue.ts';
import { type KnownHosts, originForm } from '../known-hosts.ts';
import { answerHalfClosed } from './half-closed.ts';
import type { Handler } from './handler.ts';
import { inTurn } from './request-turns.ts';

/** What every request has to pass. */
export interface FrontDoorParts {
  readonly serve: Handler;
  /** The hosts that are served; undefined where every name is. */
  readonly hosts: KnownHosts | undefined;
  /** Answers a request that does not pass. */
  refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void;
  /** How long a reader may take nothing of an answer. */
  readonly readerStallMs: number;
}

/** How long the rest of a body is still received after its request was answered, in milliseconds. */
const LINGER_MS = 30_000;

/**
 * Puts a server in front of a handler (contract §12): the requests of a connection are served in turn, also for a client that has closed
 * its side; a body is asked for when it is wanted, hosts that are not ours are refused, a reader who takes nothing is cut off, and
 * so is a body that goes on long after its answer.
 */
export function openFrontDoor(server: Server, { serve, hosts, refuse, readerStallMs }: FrontDoorParts): void {
  const begin = answerHalfClosed(server);
  const enter = inTurn((request, response) => {
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

/** How often it is looked what readers have taken, while one may take nothing. */
const LOOKS = 12;

/** How much of its answers a connection's reader had taken when that changed last, or when nothing waited to be taken. */
interface Progress {
  taken: number;
  since: number;
}

/**
 * Closes connections whose readers take nothing of what waits for them. Node's own time limit of a connection grants twice
 * the time where its first half saw anything move.
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

/** A socket with what Node keeps of it; the bytes of a long write are counted as the system takes them. */
type NodeSocket = Socket & {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
};

function takenOf({ _handle }: NodeSocket): number {
  return _handle ? _handle.bytesWritten - _handle.writeQueueSize : 0;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Receives what is still on its way of a body whose request was answered, but not for ever. Node closes a connection that is not kept as soon
 * as the answer is written: the sender would meet a reset, and might never read the answer (RFC 9112 §9.6). Only our side is closed until then.
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
