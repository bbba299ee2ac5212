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
    if (hasBody(request)) response.prependOnceListener('finish', () => receiveRest(request));
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
