import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A connection on which a test sends raw bytes, and what it received. */
export interface RawConnection {
  readonly socket: Socket;
  /** What has been received so far. */
  readonly answer: string;
  readonly closed: boolean;
  send(text: string): void;
  /** Resolves once the text matches, the connection has ended, or that many milliseconds have passed. */
  until(pattern: RegExp, ms?: number): Promise<string>;
  /** Resolves to whether the service has closed the connection within that many milliseconds. */
  ends(ms: number): Promise<boolean>;
}

/** Connects to a service as a client that follows no rules. */
export function connectTo(url: string): RawConnection {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  let closed = false;
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.on('error', () => undefined);
  const wait = async (done: () => boolean, ms: number) => {
    const end = performance.now() + ms;
    while (!done() && performance.now() < end) await sleep(20);
  };
  return {
    socket,
    get answer() {
      return answer;
    },
    get closed() {
      return closed;
    },
    send: (text) => void socket.write(text, 'latin1'),
    async until(pattern, ms = 30_000) {
      await wait(() => closed || pattern.test(answer), ms);
      return answer;
    },
    async ends(ms) {
      await wait(() => closed, ms);
      return closed;
    },
  };
}

/** Sends one request of raw bytes, and returns what was received once the connection is closed. */
export async function sendRaw(url: string, text: string): Promise<string> {
  const connection = connectTo(url);
  connection.send(text);
  await connection.ends(30_000);
  connection.socket.destroy();
  return connection.answer;
}

/** The status of a raw answer. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
