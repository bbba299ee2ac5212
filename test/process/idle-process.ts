import { returnIdleMemory } from '../../src/process/idle-memory.ts';

/** Enough objects at a time that V8 enlarges the young space; none outlives the burst. */
function burst(): void {
  for (let round = 0; round < 30; round++) Array.from({ length: 300_000 }, (_, index) => ({ index, round }));
}

burst();
const quiet = { ms: 2_000, busy: 0.05 };
const log = { debug: (fields: object) => void process.send?.(fields) };
returnIdleMemory(log, { afterStart: quiet, afterLoad: quiet });
process.on('message', burst); // the test ends this process
