import { subscribe } from 'node:diagnostics_channel';
import { type EventEmitter, errorMonitor } from 'node:events';
import type { Socket } from 'node:net';

let listening = false;

/**
 * Wakes what waits for a connection to have room when that connection ends. MongoDB's driver (7.9.0, `writeCommand`)
 * waits for `drain` alone: a long command under way to a server that dies would never end when the socket just closes,
 * and would fail with an error that is not the driver's, and so is not retried, when it breaks. Woken, it finds the
 * connection closed and does what it does for any other command.
 */
export function wakeWritersOfClosedSockets(): void {
  if (listening) return;
  listening = true;
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { readonly socket: Socket };
    const wake = (): void => {
      if (socket.listenerCount('drain') > 0) socket.emit('drain');
    };
    socket.once('close', wake);
    (socket as EventEmitter).once(errorMonitor, wake);
  });
}
