import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const OWNER_ONLY = 0o600;

/** The password file; it is also mongod's key file. */
export const secretFile = (dataDir: string): string => join(dataDir, 'mongod.password');

/** The password of the embedded database; undefined if there is none yet; throws if it may not be read. */
export function readSecret(dataDir: string): string | undefined {
  try {
    return readFileSync(secretFile(dataDir), 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `The password of the embedded database cannot be read (${(error as Error).message}); use the account that the gateway runs as.`,
      { cause: error },
    );
  }
}

/** The same, generated if there is none yet. Its file is created atomically. */
export function makeSecret(dataDir: string): string {
  const known = readSecret(dataDir);
  if (known !== undefined) {
    chmodSync(secretFile(dataDir), OWNER_ONLY); // a file restored from a copy may have lost its mode
    return known;
  }
  const secret = randomBytes(32).toString('hex'); // needs no escaping in an address, and is allowed in a key file
  const draft = `${secretFile(dataDir)}.${process.pid}`;
  const file = openSync(draft, 'w', OWNER_ONLY);
  writeSync(file, secret);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, secretFile(dataDir));
  return secret;
}
