import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { takeCommands, watchCommands } from './command-watch.ts';

let end: () => void;
beforeAll(() => {
  end = watchCommands();
});

// Every file of the suite: what it makes the service send could be sent to a sharded cluster.
afterAll(() => {
  end();
  const { refused, rows } = takeCommands();
  appendFileSync(process.env.SHARD_REPORT ?? '/dev/null', rows.join(''));
  expect(refused).toEqual([]);
});
