import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OURS, startContestant } from './contestants.ts';
import { type Load, measure } from './load/measure.ts';
import { warmUp } from './load/warm-up.ts';
import type { Operation } from './operations.ts';
import type { BenchOptions } from './options.ts';
import type { Stage } from './stage.ts';

/** The parts of a .cpuprofile that are read here. */
interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

export interface ProfileParts {
  readonly stage: Stage;
  readonly operations: readonly Operation[];
  readonly options: BenchOptions;
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** Puts this service under the load of each operation with the CPU profiler on, and tells where its own time went. */
export async function profileOperations({ stage, operations, options, folder, log }: ProfileParts): Promise<void> {
  for (const operation of operations) {
    const target = resolve(folder, operation.name);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    const ours = await startContestant(OURS, stage.place, [
      '--cpu-prof',
      '--cpu-prof-interval=500',
      `--cpu-prof-dir=${target}`,
    ]);
    const load: Load = {
      ...{ url: ours.url, key: 'demo-client-key', requests: operation.requests(stage.data) },
      ...{ connections: options.connections, seconds: options.seconds, folder: stage.place.folder },
    };
    await warmUp(load, options.warmUp);
    const { perSecond } = await measure(load);
    await ours.stop();
    const [file] = readdirSync(target).filter((name) => name.endsWith('.cpuprofile'));
    if (!file) throw new Error(`no profile was written to ${target}`);
    log(`\n${operation.title}: ${perSecond.toFixed(0)} requests per second with the profiler on`);
    for (const line of summaryOf(JSON.parse(readFileSync(join(target, file), 'utf8')) as Profile)) log(line);
  }
}

const TOP_PLACES = 14;
const TOP_FUNCTIONS = 45;

/** Self time by module and by function, as parts of the time in which the process did anything. */
function summaryOf({ nodes, samples, timeDeltas }: Profile): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map<string, number>();
  const functions = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, index) => {
    const frame = byId.get(id)?.callFrame;
    if (!frame || frame.functionName === '(idle)') return;
    const time = timeDeltas[index] ?? 0;
    const place = placeOf(frame.url, frame.functionName);
    const name = `${frame.functionName || '(anonymous)'} ${place}:${frame.lineNumber + 1}`;
    busy += time;
    places.set(moduleOf(place), (places.get(moduleOf(place)) ?? 0) + time);
    functions.set(name, (functions.get(name) ?? 0) + time);
  });
  const top = (times: Map<string, number>, count: number): string[] =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, time]) => `  ${((time / busy) * 100).toFixed(1).padStart(5)} %  ${name}`);
  return ['  by module', ...top(places, TOP_PLACES), '  by function', ...top(functions, TOP_FUNCTIONS)];
}

const ROOT = join(import.meta.dirname, '..');

function placeOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  return url.replace('file://', '').replace(`${ROOT}/`, '');
}

/** `node_modules/mongodb/lib/a/b.js` is mongodb; a file of ours is itself. */
function moduleOf(place: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return name ?? place;
}
