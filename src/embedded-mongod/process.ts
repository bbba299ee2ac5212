import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What tells one life of a process id from the next one that is given the same number; undefined when the process is
 * dead (one that has ended and was not yet reaped counts as dead).
 */
export function lifeOf(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxLifeOf(pid);
  if (process.platform === 'win32') return answersSignals(pid) ? 'alive' : undefined;
  return ps(pid, 'lstart=');
}

function linuxLifeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold any character
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startTicks}`;
  } catch {
    return undefined;
  }
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function ps(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

/** The command line of a living process, its arguments joined by blanks; empty where it cannot be read. */
export function commandOf(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'args=') ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Ends a process that need not be our child: SIGTERM, and SIGKILL when it still lives after `graceMs` milliseconds. */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  const life = lifeOf(pid);
  if (life === undefined) return;
  const deadline = Date.now() + graceMs;
  for (let signal: NodeJS.Signals = 'SIGTERM'; lifeOf(pid) === life; signal = 'SIGKILL') {
    process.kill(pid, signal);
    while (lifeOf(pid) === life && (signal === 'SIGKILL' || Date.now() < deadline)) await sleep(20);
  }
}
