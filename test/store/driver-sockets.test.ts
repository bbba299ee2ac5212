import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { wakeWritersOfClosedSockets } from '../../src/store/connection/driver/sockets.ts';

const database = `test_sockets_${process.pid}`;
const servers: Server[] = [];

/** A proxy to MongoDB that stalls on the first long command, then closes its connection. */
async function interruptedOnce(end: (socket: Socket) => void): Promise<string> {
  const uri = new URL(inject('mongoUri'));
  const port = Number(uri.port);
  let left = 1;
  const server = createServer((socket) => {
    const onward = connect(port, uri.hostname);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received < 200_000 || left === 0) return void onward.write(chunk);
      left -= 1;
      socket.pause();
      setTimeout(() => {
        onward.destroy();
        end(socket);
      }, 200);
    });
    onward.pipe(socket);
    for (const one of [socket, onward])
      one.on('error', () => undefined).on('close', () => [socket, onward].map((two) => two.destroy()));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  uri.port = String((server.address() as AddressInfo).port);
  uri.search = '?directConnection=true&authSource=admin';
  return uri.href;
}

afterAll(async () => {
  const client = await MongoClient.connect(inject('mongoUri'));
  await client.db(database).dropDatabase();
  await client.close();
  for (const server of servers) server.close();
});

describe('a long command whose connection closes while it is being sent', () => {
  wakeWritersOfClosedSockets();

  it.each([
    ['is closed', (socket: Socket) => socket.destroy()],
    ['breaks', (socket: Socket) => socket.resetAndDestroy()],
  ])('is resent by the driver when the connection %s', async (_how, end) => {
    const client = new MongoClient(await interruptedOnce(end));
    try {
      const notes = client.db(database).collection('notes');
      const { insertedId } = await notes.insertOne({ text: 'x'.repeat(12_000_000) });
      expect(await notes.countDocuments({ _id: insertedId })).toBe(1);
    } finally {
      await client.close();
    }
  });
});
