import { returnIdleMemory } from '../../src/process/idle-memory.ts';

/** So many objects at a time that V8 enlarges the space for young ones; none of them outlives the burst. */
function burst(): void {
  for (let round = 0; round < 30; round++) Array.from({ length: 300_000 }, (_, index) => ({ index, round }));
}

burst();
const quiet = { ms: 2_000, busy: 0.05 };
const log = { debug: (fields: object) => void process.send?.(fields) };
returnIdleMemory(log, { afterStart: quiet, afterLoad: quiet });
process.on('message', burst); // it is the test that ends this process
