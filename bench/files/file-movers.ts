import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { GridFSBucket, type MongoClient } from 'mongodb';
import type { Running } from '../contestants.ts';
import type { Stage } from '../stage.ts';

export const MEGABYTE = 1024 * 1024;
const PIECE = 64 * 1024;
const BOUNDARY = 'bench-boundary';
const AUTHORIZATION = { Authorization: 'Bearer demo-client-key' };

/** A way to store a file of random bytes and read it back; `watch` gets the bytes as they pass. */
export interface Mover {
  readonly name: string;
  up(bytes: number, watch?: (piece: Buffer) => void): Promise<string>;
  down(id: string, watch?: (piece: Buffer) => void): Promise<void>;
  remove(id: string): Promise<void>;
}

const noise = randomBytes(PIECE);

/** Incompressible bytes, no two pieces alike. */
function* pieces(bytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes; at += PIECE) {
    noise.writeDoubleLE(Math.random(), 0);
    yield Buffer.from(noise);
  }
}

const drain = (watch: (piece: Buffer) => void = () => {}): Writable =>
  new Writable({
    write(bytes: Buffer, _encoding, done) {
      watch(bytes);
      done();
    },
  });

/** The driver's own streams, as its documentation shows them. */
export function driverBucket(client: MongoClient): Mover {
  const bucket = new GridFSBucket(client.db('bench_driver'));
  const ids = new Map<string, Parameters<GridFSBucket['delete']>[0]>();
  const idOf = (id: string) => ids.get(id) ?? (id as never);
  return {
    name: 'driver',
    up: async (bytes) => {
      const upload = bucket.openUploadStream('bench');
      await pipeline(Readable.from(pieces(bytes)), upload);
      ids.set(String(upload.id), upload.id);
      return String(upload.id);
    },
    down: (id) => pipeline(bucket.openDownloadStream(idOf(id)), drain()),
    remove: (id) => bucket.delete(idOf(id)),
  };
}

/** The whole path of a partner's file: HTTP, multer, GraphQL, GridFS, with SHA-256 and every rule. */
export function throughGateway({ url }: Running, { data }: Stage): Mover {
  const [job] = data.stored.documents;
  const path = `/v2/workspaces/${job?.workspace}/documents/${job?._id}/attachments`;
  const remove = async (place: string): Promise<void> => {
    const sent = request(url + place, { method: 'DELETE', headers: AUTHORIZATION }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await text(response);
    if (response.statusCode !== 200) throw new Error(`DELETE ${place}: ${response.statusCode}`);
  };
  return {
    name: 'ours',
    up: (bytes, watch) => upload(url + path, bytes, watch),
    down: (id, watch) => download(url, `${path}/${id}/content`, watch),
    remove: (id) => remove(`${path}/${id}`),
  };
}

async function upload(url: string, bytes: number, watch: (piece: Buffer) => void = () => {}): Promise<string> {
  const head = Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.bin"\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const form = function* () {
    yield head;
    for (const piece of pieces(bytes)) {
      watch(piece);
      yield piece;
    }
    yield tail;
  };
  const headers = {
    ...AUTHORIZATION,
    'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    'Content-Length': head.length + bytes + tail.length,
  };
  const sent = request(url, { method: 'POST', headers });
  const [[response]] = (await Promise.all([once(sent, 'response'), pipeline(Readable.from(form()), sent)])) as [
    [IncomingMessage],
    unknown,
  ];
  const body = await text(response);
  if (response.statusCode !== 201) throw new Error(`the upload was answered with ${response.statusCode}: ${body}`);
  return (JSON.parse(body) as { id: string }).id;
}

/** Downloads with a lightweight client, because it shares the machine with the measured process. */
function download(url: string, path: string, watch: (piece: Buffer) => void = () => {}): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    let left: number | undefined;
    const take = (bytes: Buffer): void => {
      left = (left ?? 0) - bytes.length;
      watch(bytes);
      if (left <= 0) socket.destroy();
    };
    const onBytes = (length: number, buffer: Uint8Array): boolean => {
      const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
      if (left !== undefined) take(bytes);
      else {
        const before = head.length;
        head += bytes.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return true;
        left = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
        take(bytes.subarray(end + 4 - before));
      }
      return true;
    };
    const { hostname, port } = new URL(url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: { buffer: Buffer.alloc(4 * PIECE), callback: onBytes },
    });
    socket.on('error', reject).on('close', () => {
      if (head.startsWith('HTTP/1.1 200') && left === 0) resolve();
      else reject(new Error(`GET ${path}: ${head.split('\r\n')[0]}, ${left} bytes missing`));
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${AUTHORIZATION.Authorization}\r\n\r\n`);
  });
}
