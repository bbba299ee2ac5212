import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Distinguishes a process from a later one with the same pid; undefined when the process is dead (an ended process that
 * is not reaped yet counts as dead).
 */
export function lifeOf(pid) {
  if (process.platform === 'linux') return linuxLifeOf(pid);
  if (process.platform === 'win32') return answersSignals(pid) ? 'alive' : undefined;
  return ps(pid, 'lstart=');
}

function linuxLifeOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may contain any character
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startTicks}`;
  } catch {
    return undefined;
  }
}

function answersSignals(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** One column of the ps output for a process; undefined if it is dead. */
export function ps(pid, column) {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}
