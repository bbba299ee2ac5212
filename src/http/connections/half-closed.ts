import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { EVENT_STREAM_TYPE } from '../media-type.ts';

/** How long an answer may take for a client that has closed its side, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Undocumented in Node: by default it drops unanswered requests when a client closes its side. */
interface HalfOpenServer extends Server {
  httpAllowHalfOpen: boolean;
}

/**
 * Answers clients that close their side of a connection after the request, as some HTTP/1.0 clients do. A client that is gone
 * looks the same until something is written: answers get limited time, and an event stream, which may be silent, ends at once.
 */
export function answerHalfClosed(server: Server): (request: IncomingMessage) => void {
  (server as HalfOpenServer).httpAllowHalfOpen = true;
  const streaming = new WeakSet<Socket>(); // not requests, which would be retained as long as their connections
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
