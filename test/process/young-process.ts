import { tuneHeap } from '../../src/process/heap-tuning.ts';
import { oldBytes } from '../old-bytes.ts';

tuneHeap();

const OPEN = 32;
const BALLAST = 8_000;
const HELD = 3_000;
const REQUESTS = 300_000;

const open: object[] = [];

function request(index: number): object {
  const parts: object[] = [];
  parts.push({ index });
  return { parts, names: [index, 'a', 'b', 'c'] };
}

// First all requests wait, so that V8 finds every object alive, while much is allocated, so that it collects often.
for (let index = 0; index < HELD; index++) open.push(request(index), new Array(BALLAST).fill(index));
open.splice(0, open.length - OPEN);

/** Answers requests one after the other, and returns by how many bytes the old generation has grown. */
function serve(): number {
  const before = oldBytes();
  for (let index = 0; index < REQUESTS; index++) {
    open.push(request(index));
    open.shift();
  }
  return oldBytes() - before;
}

serve(); // everything waiting leaves
process.send?.([serve(), serve(), serve()]);
