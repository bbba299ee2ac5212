import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process that does nothing but answer, and shares nothing with the service but the machine. */
export interface Control {
  /** How long it takes to be answered by it: what everyone waits for on this machine. */
  waits(): Promise<number>;
  stop(): void;
}

const SERVER = `const server = require('node:http').createServer((_, response) => response.end('well'));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

/** Starts a control, by which a limit of time holds on a machine that is busy with other things too. */
export async function startControl(): Promise<Control> {
  const child = spawn(process.execPath, ['--eval', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  let port = '';
  for await (const line of createInterface(child.stdout)) {
    port = line;
    break;
  }
  return {
    async waits() {
      const asked = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/`)).text();
      return performance.now() - asked;
    },
    stop: () => void child.kill(),
  };
}
