import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBody } from '../../src/http/bodies/body.ts';
import { onePerTurn } from '../../src/http/bodies/event-loop-turns.ts';
import { weightOfJson } from '../../src/http/bodies/json-size.ts';
import { BodyRoom } from '../../src/http/rooms/body-room.ts';
import '../property-seed.ts';
import { connectTo, type RawConnection } from './raw.ts';

const MEBIBYTE = 1024 * 1024;
/** Less than what asks for room by its bytes, but four MiB by its values. */
const HEAVY = `[${'[],'.repeat(340_000)}[]]`;

it('one piece of work is done per turn of the event loop, in order', async () => {
  const done: number[] = [];
  for (const piece of [1, 2, 3]) onePerTurn(() => done.push(piece));
  expect(done).toEqual([1]);
  await turn();
  expect(done).toEqual([1, 2]);
  await turn();
  expect(done).toEqual([1, 2, 3]);
  await turn();
  onePerTurn(() => done.push(4));
  expect(done).toEqual([1, 2, 3, 4]);
});

describe('the weight of a JSON text', () => {
  it('is its bytes, or six per value if that is more', () => {
    expect(weightOfJson(Buffer.from(HEAVY))).toBe((340_001 * 2 + 1 + 1) * 6);
    const texts = JSON.stringify(Array(20_000).fill('[],{}:"\\[],[],[],[]'));
    expect(weightOfJson(Buffer.from(texts))).toBe(Buffer.byteLength(texts));
  });

  it('is at most six per byte, so that only texts of some size need weighing', () => {
    const part = fc.constantFrom('[],', '{},', '0,', '"",', '[[[[[[[[[[]]]]]]]]]],', '{"":0},');
    const property = fc.property(fc.array(part, { minLength: 1 }), (parts) => {
      const json = Buffer.from(`[${parts.join('').repeat(20)}0]`);
      expect(weightOfJson(json)).toBeLessThanOrEqual(json.length * 6);
    });
    fc.assert(property);
  });
});

describe('bodies of less than 1 MiB with very many values', () => {
  let server: Server;
  const told: string[] = [];
  const answers: ServerResponse[] = [];

  beforeEach(async () => {
    told.length = 0;
    answers.length = 0;
    const room = new BodyRoom(4 * MEBIBYTE);
    server = createServer((request, response) => {
      const name = request.url ?? '';
      readBody(
        { request, response, tenant: 'a' },
        { maxBytes: 4 * MEBIBYTE, isJson: request.headers['content-type'] !== 'text/plain', stallMs: 10_000, room },
        {
          done: () => {
            told.push(name);
            answers.push(response);
          },
          fail: (error) => told.push(`${name}: ${error instanceof Error ? error.message : error}`),
        },
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  function send(name: string, type = 'application/json'): RawConnection {
    const connection = connectTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    connection.send(
      `POST ${name} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${HEAVY.length}\r\n\r\n${HEAVY}`,
    );
    return connection;
  }
  const until = async (name: string): Promise<void> => {
    while (!told.includes(name)) await sleep(10);
  };

  it('wait for room by their weight, until another is answered', async () => {
    for (const name of ['/1', '/2', '/3']) {
      send(name);
      if (name !== '/3') await until(name);
    }
    await sleep(300);
    expect(told).toEqual(['/1', '/2']);
    answers[0]?.end();
    await until('/3');
    send('/text', 'text/plain');
    await until('/text'); // other texts count only by their bytes
  });

  it('are not waited for once their client has gone, and leave their place to the next', async () => {
    send('/1');
    await until('/1');
    send('/2');
    await until('/2');
    const gone = send('/gone');
    await sleep(300);
    send('/next');
    await sleep(300);
    gone.socket.destroy();
    await until('/gone: aborted');
    expect(told).toEqual(['/1', '/2', '/gone: aborted']);
    answers[1]?.end();
    await until('/next');
  });
});
