import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapCodeStatistics } from 'node:v8';
import { tuneHeap } from '../../src/process/heap-tuning.ts';

tuneHeap();

const FUNCTIONS = 2_000;
/** Far longer than V8 waits before it flushes the bytecode of uncalled functions; a requested collection does not count. */
const COLLECTIONS = 20;

const names = Array.from({ length: FUNCTIONS }, (_, index) => `f${index}`);
const code = names.map(
  (name) => `function ${name}(a) { let s = a; while (s < 9) s += a.length ?? 1; return s + '${name}'; }`,
);
const functions = new Function(`${code.join('\n')}\nreturn [${names.join()}]`)() as ((a: number) => string)[];
for (const each of functions) each(2);
const bytes = (): number => getHeapCodeStatistics().bytecode_and_metadata_size;
const before = bytes();

let collections = 0;
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } };
const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries() as Collection[]) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  }
});
observer.observe({ entryTypes: ['gc'] });
const kept: object[] = [];
while (collections < COLLECTIONS) {
  for (let index = 0; index < 100_000; index++) kept[index] = { index, text: [index] };
  await nextTurn();
}
process.send?.({ before, after: bytes(), functions: functions.length });
observer.disconnect();
