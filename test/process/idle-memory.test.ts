import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MEBIBYTE = 1024 * 1024;

/** Allocates a hundred megabytes of young objects, like a start, and again when told; idle in between. */
const PROGRAM = fileURLToPath(new URL('./idle-process.ts', import.meta.url));

it('an idle process returns memory to the system, after its start and after each load', {
  timeout: 180_000,
}, async () => {
  const child = fork(PROGRAM, { execArgv: ['--max-semi-space-size=64'] });
  try {
    for (const _ of ['start', 'load']) {
      const [{ before, after }] = (await once(child, 'message')) as [{ before: number; after: number }];
      expect(before - after).toBeGreaterThan(32 * MEBIBYTE);
      child.send('burst');
    }
  } finally {
    child.kill();
  }
});

it('a process whose requests wait for MongoDB is not idle', { timeout: 180_000 }, async () => {
  const child = fork(PROGRAM, ['answering'], { execArgv: ['--max-semi-space-size=64'] });
  try {
    const [first] = await once(child, 'message');
    expect(first).toEqual({ answered: true });
    const [then] = await once(child, 'message');
    expect(then).toHaveProperty('after');
  } finally {
    child.kill();
  }
});
