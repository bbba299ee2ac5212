import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lifeOf } from './process.ts';

/** The gateway that works on a data folder. */
export interface Holder {
  readonly pid: number;
  /** See lifeOf: a later process with the same number is not the holder. */
  readonly life: string;
  readonly since: string;
  /** Where it listens, once it does. */
  readonly address?: string;
}

/** A data folder that is ours until we release it or die. */
export interface Lock {
  /** Writes the address into the lock, for `npm run cli -- doctor` and for the message that a second gateway gets. */
  announce(address: string): void;
  release(): void;
}

const lockFile = (dataDir: string): string => join(dataDir, 'gateway.lock');

/** The living gateway that works on this data folder, if there is one. */
export function holderOf(dataDir: string): Holder | undefined {
  const holder = parse(read(lockFile(dataDir)));
  return holder !== undefined && lifeOf(holder.pid) === holder.life ? holder : undefined;
}

/** Takes the data folder, also from a gateway that died; throws one clear line when a living one has it. */
export function takeLock(dataDir: string): Lock {
  const file = lockFile(dataDir);
  const draft = `${file}.${process.pid}`;
  const own: Holder = { pid: process.pid, life: lifeOf(process.pid) ?? '', since: new Date().toISOString() };
  writeFileSync(draft, JSON.stringify(own));
  try {
    while (!linked(draft, file)) {
      const holder = holderOf(dataDir);
      if (holder !== undefined) throw new Error(inUse(dataDir, holder));
      setAside(file);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    announce: (address) => replace(file, { ...own, address }),
    release: () => rmSync(file, { force: true }),
  };
}

function inUse(dataDir: string, { pid, since, address }: Holder): string {
  const where = address === undefined ? '' : `, ${address}`;
  return `The data folder ${dataDir} is in use by another gateway (process ${pid}${where}, since ${since}). Stop that one, or set DATA_DIR to another folder.`;
}

/** A link appears with its whole content or not at all, and only one of two processes can make it. */
function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a dead gateway's lock; if another process took the folder at this very moment, its lock is put back. */
function setAside(file: string): void {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
  } catch {
    return; // gone already: whoever removed it may have it
  }
  const holder = parse(read(aside));
  if (holder !== undefined && lifeOf(holder.pid) === holder.life) linked(aside, file);
  rmSync(aside, { force: true });
}

function replace(file: string, holder: Holder): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(holder));
  renameSync(draft, file);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}
