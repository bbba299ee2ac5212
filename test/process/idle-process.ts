import { type AnsweredRequest, REQUESTS } from '../../src/http/access-log.ts';
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

/** Requests that wait for MongoDB while the event loop has nothing to do. */
if (process.argv[2] === 'answering') {
  let left = 60;
  const timer = setInterval(() => {
    REQUESTS.publish({ logged: {}, status: 200, seconds: 0.2 } as AnsweredRequest);
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    process.send?.({ answered: true });
  }, 100);
}
