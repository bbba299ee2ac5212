import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { EVENT_STREAM_TYPE } from '../media-type.ts';

/** How long the answer may take for a client that has closed its side, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Of Node, though not documented: by default it drops what has not been answered when a client closes its side. */
interface HalfOpenServer extends Server {
  httpAllowHalfOpen: boolean;
}

/**
 * Answers clients that close their side of a connection after the request, as some of HTTP/1.0 do. One that is gone looks the same
 * until something is written to it: no answer is awaited for long, and an event stream, which may be silent, ends at once.
 */
export function answerHalfClosed(server: Server): (request: IncomingMessage) => void {
  (server as HalfOpenServer).httpAllowHalfOpen = true;
  const streaming = new WeakSet<Socket>(); // no requests, which would be kept for as long as their connections
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      if (streaming.has(socket)) return socket.destroy();
      const timer = setTimeout(() => socket.destroy(), PATIENCE_MS).unref();
      socket.once('close', () => clearTimeout(timer));
    });
  });
  return ({ headers, socket }) => {
    if (headers.accept?.includes(EVENT_STREAM_TYPE)) streaming.add(socket);
  };
}
