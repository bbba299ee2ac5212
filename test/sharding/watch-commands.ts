import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { takeCommands, takeRefused, watchCommands } from './command-watch.ts';

let end: () => void;
beforeAll(() => {
  end = watchCommands();
});

// After every test of the suite: what it makes the service send would work on a sharded cluster.
afterEach(() => expect(takeRefused()).toEqual([]));

afterAll(() => {
  end();
  const { refused, rows } = takeCommands();
  if (process.env.SHARD_REPORT) appendFileSync(process.env.SHARD_REPORT, rows.join(''));
  expect(refused).toEqual([]);
});
