import { returnIdleMemory } from '../../src/idle-memory.ts';

/** So many objects at a time that V8 enlarges the space for young ones; none of them outlives the start. */
for (let round = 0; round < 30; round++) Array.from({ length: 300_000 }, (_, index) => ({ index, round }));

returnIdleMemory({ debug: (fields: object) => void process.send?.(fields) });
setInterval(() => undefined, 1_000); // it is the test that ends it
