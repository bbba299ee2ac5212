import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lifeOf, ps } from '../../scripts/process-life.mjs';

/** The command line of a running process, its arguments joined by spaces; empty if it cannot be read. */
export function commandOf(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'args=') ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Ends a process that need not be our child: SIGTERM, then SIGKILL if it is still alive after `graceMs` milliseconds. */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  const life = lifeOf(pid);
  if (life === undefined) return;
  const deadline = performance.now() + graceMs;
  for (let signal: NodeJS.Signals = 'SIGTERM'; lifeOf(pid) === life; signal = 'SIGKILL') {
    send(signal, pid);
    while (lifeOf(pid) === life && (signal === 'SIGKILL' || performance.now() < deadline)) await sleep(20);
  }
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has just ended
  }
}
