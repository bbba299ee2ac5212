import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './world.ts';
import { changeJob, createBulk, createResult, deleteJob } from './writers/documents.ts';
import { attachFile } from './writers/files.ts';
import { createDataApiJob, createJob, createJoinedJobs } from './writers/jobs.ts';
import { linkRecords, putReference } from './writers/records.ts';
import { signIn } from './writers/sessions.ts';
import { openWorkspace } from './writers/workspaces.ts';

/** What one writer does over and over, and how long it rests in between, in milliseconds. */
interface Writer {
  readonly write: (world: World) => Promise<void>;
  readonly rest: number;
  readonly count: number;
}

const WRITERS: readonly Writer[] = [
  { write: createJob, rest: 100, count: 3 },
  { write: createJoinedJobs, rest: 300, count: 2 },
  { write: createDataApiJob, rest: 250, count: 1 },
  { write: createResult, rest: 150, count: 2 },
  { write: createBulk, rest: 300, count: 2 },
  { write: changeJob, rest: 100, count: 3 },
  { write: deleteJob, rest: 200, count: 2 },
  { write: linkRecords, rest: 200, count: 1 },
  { write: putReference, rest: 200, count: 1 },
  { write: attachFile, rest: 300, count: 1 },
  { write: openWorkspace, rest: 300, count: 2 },
  { write: signIn, rest: 2_000, count: 1 },
];

/** Lets all writers write until the signal; comes back when each has ended what it was doing. */
export async function runWriters(world: World, stopped: AbortSignal): Promise<void> {
  const { random } = world;
  const run = async ({ write, rest }: Writer): Promise<void> => {
    while (!stopped.aborted) {
      await write(world);
      await sleep(rest * (0.5 + random.next()), undefined, { signal: stopped }).catch(() => undefined);
    }
  };
  await Promise.all(WRITERS.flatMap((writer) => Array.from({ length: writer.count }, () => run(writer))));
}
