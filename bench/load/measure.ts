import { execFileSync } from 'node:child_process';
import { autocannon } from './autocannon.ts';
import type { Figures, Load, LoadProgram } from './load.ts';
import { wrk } from './wrk.ts';

/** wrk if it is installed, because it uses few resources; else autocannon. */
export const [loadProgramName, loadProgram]: readonly [string, LoadProgram] = hasWrk()
  ? ['wrk', wrk]
  : ['autocannon', autocannon];

/** Measures one contestant; throws an Error if an answer failed. */
export async function measure(load: Load): Promise<Figures> {
  const { failed, ...figures } = await (load.once ? autocannon : loadProgram)(load);
  if (failed > 0) throw new Error(`${failed} requests to ${load.url}${load.requests[0]?.path} failed under load`);
  return figures;
}

function hasWrk(): boolean {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'; // `wrk -v` exits with 1
  }
}
