/**
 * A program of its own, started by fetch-official.ts: downloads the mongod that mongodb-memory-server knows for this
 * system into the folder that is its argument.
 */
import { MongoBinary } from 'mongodb-memory-server-core';

try {
  await MongoBinary.getPath({ downloadDir: process.argv[2] ?? '.' });
} catch (error) {
  console.error((error as Error).message.replace(/\s+/g, ' '));
  process.exitCode = 1;
}
