// npm run bench: compares this service with others that do the same work, as ratios. See README.md in this folder.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { OURS, RIVALS, type Running, startContestant } from './contestants.ts';
import { benchFiles } from './files/files.ts';
import { loadProgramName } from './load/measure.ts';
import { memoryAtRest, memoryOf } from './load/rest.ts';
import { OPERATIONS } from './operations.ts';
import {
  BACKLOG,
  type BenchOptions,
  FILES,
  GATEWAYS,
  OVERHEAD,
  REFERENCE,
  RESULTS,
  readOptions,
  SCALE,
  SUBSCRIPTION,
  SUBSCRIPTIONS,
  USAGE,
  WEBHOOKS,
} from './options.ts';
import { benchOverhead } from './overhead/overhead.ts';
import { profileOperations } from './profile/profile.ts';
import { benchReference } from './reference/reference.ts';
import { delayLines, markdownOf } from './rows/markdown.ts';
import { benchSubscription } from './rows/subscription.ts';
import { benchScale } from './scale/scale.ts';
import { openStage, type Stage } from './stage.ts';
import { benchSubscriptions } from './standalone/idle-subscriptions.ts';
import { benchLongList } from './standalone/long-list.ts';
import { benchGateways } from './standalone/two-gateways.ts';
import { jsonOf, type Outcome, reportOf } from './tournament/report.ts';
import { runTournament } from './tournament/tournament.ts';
import { benchBacklog } from './webhooks/backlog.ts';
import { benchWebhooks } from './webhooks/delays.ts';

const say = (line: string): void => console.log(line);

try {
  const args = process.argv.slice(2);
  if (args.includes('--help')) say(USAGE);
  else await main(readOptions(args));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${USAGE}`);
  process.exitCode = 1;
}

async function main(options: BenchOptions): Promise<void> {
  if (options.only.includes(SCALE)) await benchScale({ options, log: say });
  if (options.only.some((name) => name !== SCALE)) await onStage(options);
}

async function onStage(options: BenchOptions): Promise<void> {
  const stage = await openStage(options.jobs, say);
  process.once('SIGINT', () => void stage.close().then(() => process.exit(130)));
  try {
    say(`MongoDB ${stage.mongodb} with ${options.jobs} jobs; load by ${loadProgramName} from a process of its own.`);
    const operations = OPERATIONS.filter(({ name }) => options.only.includes(name));
    if (options.profile) await profileOperations({ stage, operations, options, folder: options.profile, log: say });
    else await compare(stage, operations, options);
    const measurement = { stage, options, log: say };
    if (options.only.includes(FILES)) await benchFiles(measurement);
    if (options.only.includes(REFERENCE)) await benchReference(measurement);
    if (options.only.includes(WEBHOOKS)) await benchWebhooks(measurement);
    if (options.only.includes(BACKLOG)) await benchBacklog(measurement);
    if (options.only.includes(SUBSCRIPTIONS)) await benchSubscriptions(measurement);
    if (options.only.includes(GATEWAYS)) await benchGateways(measurement);
    if (options.only.includes(OVERHEAD)) await benchOverhead(measurement);
    if (options.only.includes(RESULTS)) await benchLongList(measurement);
  } finally {
    await stage.close();
  }
}

async function compare(stage: Stage, operations: typeof OPERATIONS, options: BenchOptions): Promise<void> {
  const outcome = operations.length > 0 ? await compete(stage, operations, options) : undefined;
  const delays = options.only.includes(SUBSCRIPTION) ? await benchSubscription({ stage, options }) : [];
  for (const line of delayLines(delays)) say(line);
  if (outcome && options.markdown) say(`\n${markdownOf(outcome, delays)}`);
}

async function compete(stage: Stage, operations: typeof OPERATIONS, options: BenchOptions): Promise<Outcome> {
  const contestants: Running[] = [];
  try {
    for (const contestant of [OURS, ...RIVALS]) contestants.push(await startContestant(contestant, stage.place));
    const { data, place, stores } = stage;
    const tournament = { contestants, operations, data, stores, options, folder: place.folder, log: say };
    const samples = await runTournament(tournament);
    const memory = memoryOf(contestants);
    const atRest = options.quick ? undefined : await memoryAtRest(contestants);
    const outcome = { operations, options, samples, memory, ...(atRest && { atRest }) };
    say(reportOf(outcome));
    const { node, v8 } = process.versions;
    const environment = {
      node,
      v8,
      mongodb: stage.mongodb,
      load: loadProgramName,
      cpu: cpus()[0]?.model,
      cpus: cpus().length,
    };
    if (options.json) writeFileSync(options.json, jsonOf(outcome, environment));
    return outcome;
  } finally {
    await Promise.all(contestants.map((one) => one.stop()));
  }
}
