import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holdContinue } from './bodies/expect-continue.ts';
import { type KnownHosts, originForm } from './known-hosts.ts';

/** Serves one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

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
 * Puts a server in front of a handler (contract §12): a body is asked for when it is wanted, hosts that are not ours are
 * refused, a reader who takes nothing is cut off, and so is a body that goes on long after its answer.
 */
export function openFrontDoor(server: Server, { serve, hosts, refuse, readerStallMs }: FrontDoorParts): void {
  const enter: Handler = (request, response) => {
    response.on('timeout', cutOffReader);
    if (hasBody(request)) response.once('finish', () => cutOffSender(request));
    try {
      hosts?.check(request);
    } catch (error) {
      refuse(request, response, error);
      return;
    }
    request.url = originForm(request.url ?? '/');
    serve(request, response);
  };
  server.setTimeout(readerStallMs);
  server.on('connection', keepTimeLimit);
  server.on('request', enter);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    holdContinue(request, response);
    enter(request, response);
  });
}

/** Yoga's adapter for Node frees connections from their time limit (`setTimeout(0)`); a reader that stalls would never be cut off. */
function keepTimeLimit(socket: Socket): void {
  const limit = socket.setTimeout.bind(socket);
  socket.setTimeout = (ms, then) => (ms === 0 ? socket : limit(ms, then));
}

/** A connection on which nothing moved: it is the reader's fault only where something waits to be taken. */
export function cutOffReader(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function cutOffSender(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.once('close', () => clearTimeout(timer));
}
