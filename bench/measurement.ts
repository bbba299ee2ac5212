import type { BenchOptions } from './options.ts';
import type { Stage } from './stage.ts';

/** The input of a separate measurement: a filled database, the options of the run, and where to log its lines. */
export interface Measurement {
  readonly stage: Stage;
  readonly options: BenchOptions;
  readonly log: (line: string) => void;
}
