import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { countHeld, heldBytes } from '../garbage.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../service.ts';
import { DOCUMENT_CHANGED } from './event-client.ts';

/** A key may have a hundred. */
const STREAMS = 90;
/**
 * Both sides of a connection, and what is behind it. Through Yoga's Request and Response objects it would be over 40
 * kB.
 */
const MAX_BYTES = 34_000;

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** The responses still held in memory. */
const responses: WeakRef<ServerResponse>[] = [];
const watch = (message: unknown) =>
  void responses.push(new WeakRef((message as { readonly response: ServerResponse }).response));

async function open(as: 'client' | 'vendor', method: 'GET' | 'POST'): Promise<Socket> {
  const asked = { query: DOCUMENT_CHANGED, variables: { workspace: workspace.id } };
  const search = new URLSearchParams({ query: asked.query, variables: JSON.stringify(asked.variables) });
  const body = method === 'POST' ? JSON.stringify(asked) : '';
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(
    [
      `${method} /graphql${method === 'GET' ? `?${search}` : ''} HTTP/1.1`,
      ...[`Host: ${hostname}:${port}`, 'Accept: text/event-stream', `Authorization: Bearer ${CALLERS[as]}`],
      ...(method === 'POST' ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
      `\r\n${body}`,
    ].join('\r\n'),
  );
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}
const openAll = () =>
  Promise.all(
    Array.from({ length: 2 * STREAMS }, (_, index) =>
      open(index % 2 === 0 ? 'client' : 'vendor', index % 4 < 2 ? 'POST' : 'GET'),
    ),
  );
async function closeAll(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => countHeld(responses), { timeout: 30_000 }).toBeLessThan(5); // a parser waiting for its next connection holds the last request
}

it('a waiting stream takes little memory, and leaves nothing behind when its client is gone', {
  timeout: 180_000,
}, async () => {
  subscribe('http.server.request.start', watch);
  await closeAll(await openAll()); // what the first ones compile is not counted
  const before = heldBytes();
  const sockets = await openAll();
  unsubscribe('http.server.request.start', watch);
  const each = (heldBytes() - before) / sockets.length;
  expect(responses.length).toBe(2 * sockets.length);
  await closeAll(sockets);
  expect(each).toBeLessThan(MAX_BYTES);
  expect((heldBytes() - before) / sockets.length).toBeLessThan(MAX_BYTES / 2);
});
