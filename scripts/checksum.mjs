import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** The SHA-256 of a file, in hexadecimal digits. */
export async function sha256Of(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Throws unless a downloaded file has the expected SHA-256; `origin` says where that is from. */
export async function checkFile(file, { name, sha256, origin = 'pinned in the source' }) {
  const found = await sha256Of(file);
  if (found === sha256) return;
  throw new Error(
    `${name} is not what it should be, and is not used: its SHA-256 is ${found}, and ${sha256} is ${origin}. It was changed on the way, or by whoever offers it.`,
  );
}
