import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { readBody } from '../../src/http/bodies/body.ts';
import { BodyRoom } from '../../src/http/rooms/body-room.ts';
import { Room } from '../../src/http/rooms/room.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../service.ts';
import { connectTo, type RawConnection, statusOf } from './raw.ts';

const LARGEST = 100;

describe('the budget for large bodies', () => {
  /** Asks for room; outcomes are recorded by name. */
  function asking(room: BodyRoom) {
    const told: string[] = [];
    const ask = (name: string, tenant: string, bytes = LARGEST) =>
      room.take(
        { tenant, bytes },
        { enter: () => told.push(name), refuse: ({ code }) => told.push(`${name}: ${code}`) },
      );
    return { told, ask };
  }

  it('fits four of the largest, two per tenant and as many as are left; others enter in order as room frees up', () => {
    const { told, ask } = asking(new BodyRoom(LARGEST));
    const [first, second] = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name, 'a'));
    ask('b1', 'b');
    expect(told).toEqual(['a1', 'a2', 'b1']);
    for (const name of ['c1', 'c2']) ask(name, 'c');
    ask('d1', 'd');
    expect(told.slice(3)).toEqual(['c1']);
    first?.();
    expect(told.slice(4)).toEqual(['d1']);
    second?.();
    expect(told.slice(5)).toEqual(['a3']);
  });

  it('always has room for another tenant, when two take as much as they can get', () => {
    const { told, ask } = asking(new BodyRoom(LARGEST));
    const most = (tenant: string) => {
      told.length = 0;
      for (let index = 0; index < 50; index++) ask(tenant, tenant, LARGEST / 10);
      return told.length;
    };
    expect(['a', 'b', 'c', 'd'].map(most)).toEqual([20, 10, 5, 3]);
  });

  it('counts bytes, and releases each body once', () => {
    const { told, ask } = asking(new BodyRoom(LARGEST));
    const small = Array.from({ length: 20 }, (_, index) => ask(`${index}`, 'a', 10));
    expect(told).toHaveLength(20);
    const last = ask('last', 'a', 20);
    small[0]?.();
    small[0]?.();
    expect(told).toHaveLength(20);
    small[1]?.();
    expect(told.at(-1)).toBe('last');
    last();
    ask('next', 'a', 21);
    expect(told.at(-1)).toBe('last');
  });

  it("is given whole to a body larger than a tenant's share", () => {
    const { told, ask } = asking(new BodyRoom(LARGEST));
    const large = ask('large', 'a', 5 * LARGEST);
    ask('small', 'a', 1);
    expect(told).toEqual(['large']);
    large();
    expect(told).toEqual(['large', 'small']);
  });

  it('is not waited for by clients that have gone, nor forever', async () => {
    const { told, ask } = asking(new BodyRoom(LARGEST, 50));
    const [first] = ['a1', 'a2'].map((name) => ask(name, 'a'));
    const gone = ask('gone', 'a');
    gone();
    const late = ask('late', 'a');
    await sleep(100);
    expect(told.slice(2)).toEqual(['late: UNAVAILABLE']);
    late(); // it had no room to release
    first?.();
    ask('a3', 'a');
    ask('a4', 'a');
    expect(told.slice(3)).toEqual(['a3']);
  });
});

it('a body whose request is answered while it arrives takes no room', async () => {
  const maxBytes = 4 * 1024 * 1024;
  const room = new BodyRoom(maxBytes);
  const server = createServer((request, response) => {
    const limits = { maxBytes, isJson: true, stallMs: 10_000, room };
    const then = { done: () => undefined, fail: () => undefined };
    readBody({ request, response, tenant: 'a' }, limits, then);
    request.once('data', () => response.end('answered'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (let sent = 0; sent < 3; sent++) {
    const connection = connectTo(`http://127.0.0.1:${port}`);
    const rest = 2 * 1024 * 1024;
    connection.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${rest + 1}\r\n\r\n `);
    await connection.until(/answered/);
    connection.send(' '.repeat(rest));
    await sleep(300);
    connection.socket.destroy();
  }
  let entered = 0;
  for (const tenant of ['a', 'a', 'b', 'c']) {
    room.take({ tenant, bytes: maxBytes }, { enter: () => entered++, refuse: () => undefined });
  }
  expect(entered).toBe(4);
  server.close();
  server.closeAllConnections();
});

describe('large bodies arriving at once', () => {
  const LARGE = 1_900_000;
  const service = serviceFixture({ env: { MAX_BODY_BYTES: '2000000' } });
  const workspace = workspaceFixture(service);
  const open: RawConnection[] = [];
  /** What has asked for room. */
  let claims: MockInstance<Room['take']>;
  beforeEach(() => {
    claims = vi.spyOn(Room.prototype, 'take');
  });
  afterEach(() => {
    claims.mockRestore();
    for (const { socket } of open.splice(0)) socket.destroy();
  });
  const asked = (times: number) => expect.poll(() => claims.mock.calls.length).toBeGreaterThanOrEqual(times);

  const body = (size: number): string => {
    const whole = (comment: string) => JSON.stringify({ query: `{ __typename } #${comment}` });
    return whole('x'.repeat(size - whole('').length));
  };
  const head = (as: 'client' | 'vendor', more: string, path = '/graphql'): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${CALLERS[as]}\r\n${more}\r\n\r\n`;
  function send(text: string): RawConnection {
    const connection = connectTo(service.url);
    connection.send(text);
    open.push(connection);
    return connection;
  }
  const sized = (as: 'client' | 'vendor', path?: string) => head(as, `Content-Length: ${LARGE}`, path);
  /** All but the end of a body. */
  const begin = (as: 'client' | 'vendor'): RawConnection => send(`${sized(as)}${body(LARGE).slice(0, -10)}`);
  const status = async (connection: RawConnection): Promise<number> => statusOf(await connection.until(/\r\n\r\n/));
  const stateOf = (connection: RawConnection): Promise<number | 'waits'> =>
    Promise.race([status(connection), sleep(400, 'waits' as const)]);

  it("wait until their tenant has room again; small ones and other tenants' do not", async () => {
    const [first, second] = [begin('client'), begin('client')];
    await asked(2);
    const whole = send(`${sized('client')}${body(LARGE)}`);
    const chunked = send(
      `${head('client', 'Transfer-Encoding: chunked')}${LARGE.toString(16)}\r\n${body(LARGE)}\r\n0\r\n\r\n`,
    );
    await asked(4);
    expect(await Promise.all([stateOf(whole), stateOf(chunked)])).toEqual(['waits', 'waits']);
    expect(await status(send(`${sized('vendor')}${body(LARGE)}`))).toBe(200);
    expect((await service.graphql('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
    first?.send(body(LARGE).slice(-10));
    expect(await status(first as RawConnection)).toBe(200);
    expect(await status(whole)).toBe(200);
    second?.socket.destroy(); // a client that gives up frees room as well
    expect(await status(chunked)).toBe(200);
  });

  it('count from their first second if they are small, so that very many slow ones are refused', async () => {
    const size = 900_000;
    const text = body(size);
    const slow = Array.from({ length: 24 }, () =>
      send(`${head('client', `Content-Length: ${size}`)}${text.slice(0, size / 2)}`),
    );
    await asked(slow.length);
    expect((await service.graphql('{ __typename }')).status).toBe(200);
    expect(await status(send(`${sized('vendor')}${body(LARGE)}`))).toBe(200);
    for (const connection of slow) if (connection.answer === '') connection.send(text.slice(size / 2));
    const statuses = await Promise.all(slow.map(status));
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.filter((one) => one === 503).length).toBeGreaterThan(5);
    expect(statuses.filter((one) => one === 200).length).toBeGreaterThan(4);
  });

  it('share one budget between REST and GraphQL', async () => {
    for (let index = 0; index < 2; index++) begin('client');
    await asked(2);
    const path = `/workspaces/${workspace.id}/jobs`;
    const created = send(`${sized('client', path)}${body(LARGE)}`);
    await asked(3);
    expect(await stateOf(created)).toBe('waits');
    for (const { socket } of open) if (socket !== created.socket) socket.destroy();
    expect(await status(created)).toBe(201);
  });
});
