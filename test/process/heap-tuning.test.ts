import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** What a program prints before it ends. */
async function toldBy<T>(name: string, semiSpace: number): Promise<T> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const [told] = await once(fork(program, { execArgv: [`--max-semi-space-size=${semiSpace}`] }), 'message');
  return told as T;
}

it('no object is old from the start, even if all were alive for a while', async () => {
  const grown = await toldBy<number[]>('./young-process.ts', 64);
  expect(Math.max(...grown)).toBeLessThan(10_000_000);
});

it('old objects are collected before there are three times as many', async () => {
  const { least, most } = await toldBy<{ least: number; most: number }>('./growing-process.ts', 8);
  expect(most).toBeLessThan(least * 3);
});

it('bytecode of functions is kept while nobody calls them', async () => {
  const { before, after } = await toldBy<{ before: number; after: number }>('./resting-process.ts', 1);
  expect(after).toBeGreaterThan(before / 2);
});
