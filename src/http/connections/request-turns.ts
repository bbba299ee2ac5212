import type { Socket } from 'node:net';
import type { Handler } from './handler.ts';

/** The number of waiting requests per connection. */
const waiting = new WeakMap<Socket, number>();

/**
 * Serves the requests of a connection one after the other, even if the client pipelines them: they may depend on each other
 * (RFC 9112 §9.3.2). Node emits each request as soon as it has arrived, and orders only the responses.
 */
export const inRequestOrder =
  (serve: Handler): Handler =>
  (request, response) => {
    if (response.socket !== null) return serve(request, response); // first in line
    const { socket } = request;
    wait(socket);
    response.once('socket', () => {
      goOn(socket);
      process.nextTick(serve, request, response); // Node is still handing over the connection
    });
  };

/** While a request waits, no more are read; the one being served has fully arrived. */
function wait(socket: Socket): void {
  const before = waiting.get(socket);
  waiting.set(socket, (before ?? 0) + 1);
  socket.pause();
  if (before !== undefined) return;
  // Node resumes reading after every message.
  socket.on('resume', () => {
    if ((waiting.get(socket) ?? 0) > 0) socket.pause();
  });
}

function goOn(socket: Socket): void {
  const left = (waiting.get(socket) ?? 1) - 1;
  waiting.set(socket, left);
  if (left === 0) socket.resume();
}
