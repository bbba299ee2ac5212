import { subscribe } from 'node:diagnostics_channel';
import { type EventEmitter, errorMonitor } from 'node:events';
import type { Socket } from 'node:net';

let listening = false;

/**
 * Wakes writers waiting for room in a connection's buffer when that connection ends. MongoDB's driver (7.9.0, `writeCommand`) only
 * waits for `drain`: a long command in flight to a dying server would hang forever if the socket just closes, and on a connection
 * error would fail with an error that is not the driver's and so is not retried. Once woken, the driver finds the connection
 * closed and handles it as for any other command.
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
