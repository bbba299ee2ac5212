import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OURS, startContestant } from '../contestants.ts';
import type { Load } from '../load/load.ts';
import { measure } from '../load/measure.ts';
import { settled } from '../load/settle.ts';
import { warmUp } from '../load/warm-up.ts';
import type { BenchOptions } from '../options.ts';
import { connectionsOf, type Operation } from '../rows/operation.ts';
import type { Stage } from '../stage.ts';
import { type CpuProfile, summaryOf } from './profile-summary.ts';

interface ProfileParts {
  readonly stage: Stage;
  readonly operations: readonly Operation[];
  readonly options: BenchOptions;
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** Loads this service with each operation while the CPU profiler is on, and reports where its own time went. */
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
    const requests = () => operation.requests({ ...stage.data, stores: stage.stores, url: ours.url });
    const load: Load = {
      ...{ url: ours.url, key: 'demo-client-key', requests: await requests(), once: operation.once },
      ...{ connections: connectionsOf(operation, options), seconds: options.seconds, folder: stage.place.folder },
    };
    await warmUp(load, options.warmUp);
    await settled([ours]);
    const started = performance.now();
    const { perSecond } = await measure(operation.once ? { ...load, requests: await requests() } : load);
    const [measured, stopping] = [performance.now() - started, performance.now()];
    await ours.stop();
    const after = performance.now() - stopping;
    const [file] = readdirSync(target).filter((name) => name.endsWith('.cpuprofile'));
    if (!file) throw new Error(`no profile was written to ${target}`);
    log(`\n${operation.title}: ${perSecond.toFixed(0)} requests per second with the profiler on`);
    const profile = JSON.parse(readFileSync(join(target, file), 'utf8')) as CpuProfile;
    for (const line of summaryOf(profile, { milliseconds: measured, beforeEnd: after })) log(line);
  }
}
