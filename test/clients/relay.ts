import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A relay in front of a service, which counts a client's connections. */
interface Relay extends AsyncDisposable {
  readonly url: string;
  readonly connections: number;
}

/** Starts a relay to a service on the loopback interface. */
export async function startRelay(service: string): Promise<Relay> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    connections += 1;
    const behind = connect({ port: Number(new URL(service).port), allowHalfOpen: true, noDelay: true });
    for (const socket of [client, behind]) {
      sockets.add(socket);
      // Whichever side ends abruptly, the other sees its own connection end.
      socket.on('error', () => {
        client.destroy();
        behind.destroy();
      });
    }
    client.pipe(behind).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
