import { tuneHeap } from '../../src/process/heap-tuning.ts';
import { oldBytes } from '../old-bytes.ts';

tuneHeap();

/** What a process keeps for good, and for a while. */
const LIVE = 600_000;
const FOR_A_WHILE = 200_000;
const MADE = 12_000_000;

const live = Array.from({ length: LIVE }, (_, index) => ({ index, text: [index] }));
const ring: object[] = Array.from({ length: FOR_A_WHILE }, () => ({}));
const sizes: number[] = [];
for (let index = 0; index < MADE; index++) {
  ring[index % FOR_A_WHILE] = { index, text: [index] };
  if (index % 10_000 === 0) sizes.push(oldBytes());
}
const after = sizes.slice(sizes.length / 2);
process.send?.({ kept: live.length, least: Math.min(...after), most: Math.max(...after) });
