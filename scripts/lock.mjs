import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lifeOf } from './process-life.mjs';

const lookEveryMs = 100;

/** Takes the lock file, also from a process that died; undefined while a live process holds it. */
export function tryLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  let own = { ...identityOf(process.pid), since: new Date().toISOString() };
  try {
    write(draft, own, file);
    while (!linked(draft, file)) {
      if (holderOf(file) !== undefined) return undefined;
      setAside(file);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    update(details) {
      own = { ...own, ...details };
      replace(file, own);
    },
    release: () => rmSync(file, { force: true }),
  };
}

/** Takes the lock as soon as it is free; calls `told` once for each process that it waits for. */
export async function waitForLock(file, told) {
  let known;
  for (;;) {
    const lock = tryLock(file);
    if (lock !== undefined) return lock;
    const holder = holderOf(file);
    if (holder !== undefined && holder.pid !== known) told(holder);
    known = holder?.pid ?? known;
    await sleep(lookEveryMs);
  }
}

/** The holder of a lock, if it is alive; a child that it named holds the lock as well. */
export function holderOf(file) {
  const holder = parse(read(file));
  return [holder, holder?.child].some((one) => one && lifeOf(one.pid) === one.life) ? holder : undefined;
}

/** Identifies a process in a lock, so that a later process with the same pid is not mistaken for it. */
export const identityOf = (pid) => ({ pid, life: lifeOf(pid) ?? '' });

/** A link appears with its whole content or not at all, and only one of two processes can create it. */
function linked(draft, file) {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a dead process's lock; if another process took the lock at this very moment, puts that back. */
function setAside(file) {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
  } catch {
    return; // gone already: whoever removed it may take it
  }
  if (holderOf(aside) !== undefined) linked(aside, file);
  rmSync(aside, { force: true });
}

function replace(file, holder) {
  const draft = `${file}.${process.pid}`;
  try {
    write(draft, holder, file);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true }); // exists only after a failure, such as a full disk
  }
}

/** Errors name the lock file: the system names no file when a disk is full. */
function write(draft, holder, file) {
  try {
    writeFileSync(draft, JSON.stringify(holder));
  } catch (error) {
    const [reason] = error.message.split(',', 1);
    throw new Error(`${file} cannot be written (${reason}).`, { cause: error });
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
