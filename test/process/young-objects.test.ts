import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./young-process.ts', import.meta.url));

it('no object is old from the start, also where all were alive for a while', { timeout: 60_000 }, async () => {
  const child = fork(PROGRAM, { execArgv: ['--max-semi-space-size=64'] });
  const [grown] = (await once(child, 'message')) as [number[]];
  expect(Math.max(...grown)).toBeLessThan(10_000_000);
});
