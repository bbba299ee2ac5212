import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection through the proxy, until either end closes it. */
interface Passing {
  /** How long neither end has sent anything, in milliseconds. */
  readonly idleMs: number;
  /** The name of the last command MongoDB's client sent. */
  readonly command: string | undefined;
}

/** A proxy to MongoDB that can drop connections silently, as a firewall or load balancer does; `await using` ends it. */
export interface SilentProxy extends AsyncDisposable {
  readonly uri: string;
  /** Stops passing data on those connections, closing neither side; returns their number. */
  silence(which: (connection: Passing) => boolean): number;
}

interface Connection extends Passing {
  isSilent: boolean;
}

/** The offset of the command name in a MongoDB message: after the headers, the first member of its document. */
const COMMAND_AT = 16 + 4 + 1 + 4 + 1;

/** Starts a proxy to the only member of a replica set. */
export async function startSilentProxy(mongoUri: string): Promise<SilentProxy> {
  const uri = new URL(mongoUri);
  const { hostname, port } = uri;
  const open = new Set<Connection>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    let at = performance.now();
    let command: string | undefined;
    const connection = {
      isSilent: false,
      get idleMs() {
        return performance.now() - at;
      },
      get command() {
        return command;
      },
    };
    open.add(connection);
    const pass = (to: Socket, seen: (chunk: Buffer) => void) => (chunk: Buffer) => {
      if (connection.isSilent) return;
      at = performance.now();
      seen(chunk);
      to.write(chunk);
    };
    socket.on(
      'data',
      pass(onward, (chunk) => (command = commandIn(chunk) ?? command)),
    );
    onward.on(
      'data',
      pass(socket, () => undefined),
    );
    for (const one of [socket, onward]) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          open.delete(connection);
          if (!connection.isSilent) for (const other of [socket, onward]) other.destroy();
        });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  uri.port = String((server.address() as AddressInfo).port);
  uri.searchParams.delete('replicaSet');
  uri.searchParams.set('directConnection', 'true');
  return {
    uri: uri.href,
    silence(which) {
      const chosen = [...open].filter((connection) => !connection.isSilent && which(connection));
      for (const connection of chosen) connection.isSilent = true;
      return chosen.length;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function commandIn(message: Buffer): string | undefined {
  const end = message.indexOf(0, COMMAND_AT);
  const name = end < 0 ? '' : message.toString('latin1', COMMAND_AT, end);
  return /^[a-zA-Z]+$/.test(name) ? name : undefined;
}
