import type { Socket } from 'node:net';
import type { Handler } from './handler.ts';

/** How many requests of a connection wait for their turn. */
const waiting = new WeakMap<Socket, number>();

/**
 * Serves the requests of a connection one after the other, also where a client sends the next ones before it has an answer: they
 * may depend on each other (RFC 9112 §9.3.2). Node hands over each as soon as it has arrived, and orders only their answers.
 */
export const inTurn =
  (serve: Handler): Handler =>
  (request, response) => {
    if (response.socket !== null) return serve(request, response); // nothing is before it
    const { socket } = request;
    wait(socket);
    response.once('socket', () => {
      goOn(socket);
      process.nextTick(serve, request, response); // Node is not done with handing over the connection
    });
  };

/** While a request waits, no more are read; the one that is served has arrived whole. */
function wait(socket: Socket): void {
  const before = waiting.get(socket);
  waiting.set(socket, (before ?? 0) + 1);
  socket.pause();
  if (before !== undefined) return;
  // Node reads on after every message.
  socket.on('resume', () => {
    if ((waiting.get(socket) ?? 0) > 0) socket.pause();
  });
}

function goOn(socket: Socket): void {
  const left = (waiting.get(socket) ?? 1) - 1;
  waiting.set(socket, left);
  if (left === 0) socket.resume();
}
