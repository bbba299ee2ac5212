import { execFileSync } from 'node:child_process';

/** Whether a program exists on this machine: whether it runs, with arguments that do nothing else. */
export function isThere(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, [...args], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
