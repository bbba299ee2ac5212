import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process that works as long as told, and shares only the machine with the service. */
export interface Control {
  /** How many times longer the same work takes now than at its fastest: 1 on an idle machine. */
  slowness(): Promise<number>;
  stop(): void;
}

/** About fifty milliseconds of work on an idle machine, so that the scheduler gives it no head start. */
const WORKER = `require('node:readline').createInterface(process.stdin).on('line', () => {
  const began = performance.now();
  for (let i = 0, x = 0; i < 1e7; i++) x = (Math.imul(x, 31) + i) | 0;
  console.log(performance.now() - began);
});`;

/** Starts a control, so that time limits hold on a machine busy with other things. */
export async function startControl(): Promise<Control> {
  const child = spawn(process.execPath, ['--eval', WORKER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const work = async (): Promise<number> => {
    child.stdin.write('\n');
    return Number((await lines.next()).value);
  };
  let best = Number.POSITIVE_INFINITY;
  const slowness = async (): Promise<number> => {
    const took = await work();
    best = Math.min(best, took);
    return took / best;
  };
  for (let index = 0; index < 5; index++) await slowness();
  return { slowness, stop: () => void child.kill() };
}
