import type { BenchOptions } from './options.ts';
import type { Stage } from './stage.ts';

/** What a measurement in a way of its own is given: a filled database, the options of the run, and where its lines go. */
export interface Measurement {
  readonly stage: Stage;
  readonly options: BenchOptions;
  readonly log: (line: string) => void;
}
