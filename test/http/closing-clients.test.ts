import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { SESSION } from '../auth/sign-in.ts';
import { CALLERS, serviceFixture } from '../service.ts';
import { statusOf } from './raw.ts';

const service = serviceFixture();
const LENGTH = 40_000_000;
const PIECE = 'x'.repeat(1_000_000);

it.each([
  ['a body that is too large', '/v2/organizations', 413],
  ['a name and a password that are too large', SESSION, 413],
  ['no endpoint', '/nothing', 404],
  ['GraphQL that is too large', '/graphql', 413],
])(
  'an answer sent before the end of its body is not cut off if the client then closes the connection: %s',
  async (_, path, status) => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', allowHalfOpen: true });
    const [errors, received] = [[] as Error[], [] as Buffer[]];
    socket.on('error', (error) => errors.push(error)).on('data', (piece) => received.push(piece));
    const closed = once(socket, 'close').catch(() => undefined);
    const headers = `Host: localhost\r\nAuthorization: Bearer ${CALLERS.client}\r\nContent-Type: application/json\r\n`;
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}Connection: close\r\nContent-Length: ${LENGTH}\r\n\r\n`);
    await expect.poll(() => statusOf(Buffer.concat(received).toString())).toBe(status);
    for (let sent = 0; sent < LENGTH && !socket.destroyed; sent += PIECE.length) {
      if (!socket.write(PIECE)) await Promise.race([once(socket, 'drain'), closed]);
    }
    socket.end();
    await closed;
    expect(errors).toEqual([]);
  },
);
