import { createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013];
const HEADER_BYTES = 16;

/** A stand-in that drivers take for a mongos: it records the commands, and does nothing. */
interface StandInMongos extends AsyncDisposable {
  readonly uri: string;
  /** The commands received, each as its name and what it names. */
  readonly commands: readonly Document[];
}

/** Listens on the loopback interface; `divided` are the already sharded collections, by name. */
export async function startStandInMongos(divided: Readonly<Record<string, Document>>): Promise<StandInMongos> {
  const commands: Document[] = [];
  const answer = (command: Document): Document => {
    if ('hello' in command || 'ismaster' in command) return helloTo(command);
    if ('buildInfo' in command) return { version: '7.0.5' };
    commands.push(command);
    const firstBatch = Object.entries(divided).map(([_id, key]) => ({ _id, key }));
    return 'find' in command ? { cursor: { id: BSON.Long.ZERO, ns: 'config.collections', firstBatch } } : {};
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) {
        const message = bytes.subarray(0, bytes.readInt32LE(0));
        bytes = bytes.subarray(message.length);
        socket.write(reply(message, answer(commandIn(message))));
      }
    });
  });
  const { port } = await new Promise<{ port: number }>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(server.address() as { port: number })),
  );
  return {
    uri: `mongodb://127.0.0.1:${port}/`,
    commands,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const HELLO = {
  ...{ isWritablePrimary: true, ismaster: true, msg: 'isdbgrid', helloOk: true },
  ...{ minWireVersion: 0, maxWireVersion: 17, logicalSessionTimeoutMinutes: 30 },
  ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
};

/** Accepts those of its compressors that it is offered. */
function helloTo({ compression: offered = [] }: Document): Document {
  const compression = ['snappy', 'zstd', 'zlib'].filter((name) => offered.includes(name));
  return { ...HELLO, ...(compression.length > 0 && { compression }) };
}

/** The command of a message: after its flags, or in a legacy hello after the collection name. */
function commandIn(message: Buffer): Document {
  const isOld = message.readInt32LE(12) === OP_QUERY;
  const start = isOld ? message.indexOf(0, HEADER_BYTES + 4) + 9 : HEADER_BYTES + 5;
  return BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
}

function reply(message: Buffer, answer: Document): Buffer {
  const isOld = message.readInt32LE(12) === OP_QUERY;
  const document = BSON.serialize({ ...answer, ok: 1 });
  const lead = isOld ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isOld) lead.writeInt32LE(1, 16); // how many documents follow
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + lead.length + document.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isOld ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, lead, document]);
}
