import { join } from 'node:path';

/** The parts of a .cpuprofile that we read; times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly startTime: number;
  readonly endTime: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** The part of a profile that counts: its length, and how long before the end of the process it ended. */
interface Window {
  readonly milliseconds: number;
  readonly beforeEnd: number;
}

const TOP_MODULES = 25;
const TOP_FUNCTIONS = 40;
const ROOT = join(import.meta.dirname, '..', '..');

/** Where the time went, as shares of the non-idle time. */
export function summaryOf(profile: CpuProfile, { milliseconds, beforeEnd }: Window): string[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const modules = new Map<string, number>();
  const functions = new Map<string, number>();
  const to = profile.endTime - beforeEnd * 1000;
  const from = to - milliseconds * 1000;
  let at = profile.startTime;
  let busy = 0;
  profile.samples.forEach((id, index) => {
    const time = profile.timeDeltas[index] ?? 0;
    at += time;
    const frame = nodes.get(id)?.callFrame;
    if (!frame || frame.functionName === '(idle)' || at < from || at > to) return;
    busy += time;
    add(modules, ownerOf(id, nodes, parents), time);
    add(functions, `${frame.functionName || '(anonymous)'} ${placeOf(frame.url)}:${frame.lineNumber + 1}`, time);
  });
  const top = (times: Map<string, number>, count: number): string[] =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, time]) => `  ${((time / busy) * 100).toFixed(1).padStart(5)} %  ${name}`);
  return [
    `  busy ${((busy / (to - from)) * 100).toFixed(0)} % of the time`,
    '  by module; what Node does is counted for the module that called it',
    ...top(modules, TOP_MODULES),
    '  by function, each for itself',
    ...top(functions, TOP_FUNCTIONS),
  ];
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}

/** The nearest package or file of ours up the call stack; Node itself if there is none. */
function ownerOf(id: number, nodes: ReadonlyMap<number, ProfileNode>, parents: ReadonlyMap<number, number>): string {
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const frame = nodes.get(at)?.callFrame;
    if (frame?.url.startsWith('file:') || frame?.url.startsWith('/')) return moduleOf(placeOf(frame.url));
  }
  const { functionName = '' } = nodes.get(id)?.callFrame ?? {};
  return functionName.startsWith('(') ? functionName : '(node)';
}

const placeOf = (url: string): string => (url === '' ? '(native)' : url.replace('file://', '').replace(`${ROOT}/`, ''));

/** `node_modules/mongodb/lib/a/b.js` is mongodb; a file of ours is itself. */
function moduleOf(place: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return name ?? place;
}
