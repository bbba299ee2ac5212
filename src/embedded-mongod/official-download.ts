/**
 * A separate program, started by fetch-official.ts: downloads the mongod that mongodb-memory-server knows for this
 * system into the folder given as its argument. Nothing is unpacked before its SHA-256 is verified.
 */
import { readFile, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';
import { checkFile } from '../../scripts/checksum.mjs';
import { OFFICIAL_ARCHIVES } from './pins.ts';

class CheckedDownload extends MongoBinaryDownload {
  override async startDownload(): Promise<string> {
    const archive = await super.startDownload();
    const name = basename(archive);
    try {
      const pinned = OFFICIAL_ARCHIVES[name];
      const expected = pinned ? { sha256: pinned } : { sha256: await this.#published(), origin: 'published beside it' };
      await checkFile(archive, { name, ...expected });
    } catch (error) {
      await unlink(archive); // or the next attempt would use it
      throw error;
    }
    return archive;
  }

  /** The SHA-256 that MongoDB publishes, in a file with the hexadecimal digits and the name of the archive. */
  async #published(): Promise<string> {
    const address = await new MongoBinaryDownloadUrl(this.binaryOpts).getDownloadUrl();
    const file = await this.download(`${address}.sha256`);
    const [digits = ''] = (await readFile(file, 'utf8')).trim().split(/\s+/);
    await unlink(file);
    if (/^[\da-f]{64}$/i.test(digits)) return digits.toLowerCase();
    throw new Error(`${address} has no SHA-256 beside it`);
  }
}

try {
  const options = await DryMongoBinary.generateOptions({ downloadDir: process.argv[2] ?? '.' });
  await new CheckedDownload(options).getMongodPath();
} catch (error) {
  console.error((error as Error).message.replace(/\s+/g, ' '));
  process.exitCode = 1;
}
