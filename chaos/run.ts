import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { type Random, random } from '../src/demo/random.ts';
import { untilDelivered } from './checks/deliveries.ts';
import { deletionsOf } from './checks/evidence.ts';
import { checkAll, untilSwept } from './checks.ts';
import { Client } from './client.ts';
import { Faults } from './faults.ts';
import { Ledger } from './ledger.ts';
import type { ChaosOptions } from './options.ts';
import { Gateway } from './processes/gateway.ts';
import { ReplicaSet } from './processes/replica-set.ts';
import { WebhookReceiver } from './processes/webhook-receiver.ts';
import { isGood, type Report, reportOf } from './report.ts';
import { Subscriber } from './subscriber.ts';
import { makeWorld, type World } from './world.ts';
import { runWriters } from './writers.ts';

const DATABASE = 'chaos';
/** How long what is open may take when nothing is hurt any more: longer than MongoDB keeps a transaction whose gateway died. */
const SETTLE_MS = 100_000;
/** How long a transaction may be open in a short run, in seconds. */
const SHORT_TRANSACTION_S = 6;
/** The same for the events to reach every subscriber. */
const TELL_MS = 60_000;

/** What a run is given. */
interface RunParts extends Pick<ChaosOptions, 'minutes' | 'seed'> {
  readonly say: (line: string) => void;
  /**
   * Ends what a killed gateway left open after seconds instead of a minute: transactions by the members' setting, and what
   * stands below something deleted by making it due once nobody writes any more.
   */
  readonly isShort?: boolean;
  /** How many processes are killed at least, however much longer that takes. */
  readonly leastKills?: number;
  /** Ends it early, with whatever is known by then. */
  readonly stopped?: AbortSignal;
}

/** Starts everything, hurts it, and looks at what is left; no process and, unless something is wrong, no file stays. */
export async function runChaos({
  minutes,
  seed,
  say,
  stopped,
  isShort = false,
  leastKills = 0,
}: RunParts): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-chaos-'));
  const replicaSet = await ReplicaSet.on(folder, say, isShort ? { transactionSeconds: SHORT_TRANSACTION_S } : {});
  const gateways: Gateway[] = [];
  const ended = AbortSignal.any([AbortSignal.timeout(minutes * 60_000 + 300_000), ...(stopped ? [stopped] : [])]);
  const close = async (): Promise<void> => {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await replicaSet.close();
  };
  let isClean = false;
  try {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    ended.addEventListener('abort', () => reject(new Error('The run was ended before it was over.')), { once: true });
    const report = await Promise.race([
      perform({ minutes, seed, say, isShort, leastKills, folder, replicaSet, gateways }),
      aborted,
    ]);
    isClean = isGood(report);
    return report;
  } finally {
    await close();
    if (isClean || stopped?.aborted) rmSync(folder, { recursive: true, force: true });
    else say(`The ledger and the logs are in ${folder}.`);
  }
}

interface Stage extends Required<Omit<RunParts, 'stopped'>> {
  readonly folder: string;
  readonly replicaSet: ReplicaSet;
  readonly gateways: Gateway[];
}

async function perform({
  minutes,
  seed,
  say,
  isShort,
  leastKills,
  folder,
  replicaSet,
  gateways,
}: Stage): Promise<Report> {
  await replicaSet.start();
  for (const name of ['gateway-1', 'gateway-2']) {
    gateways.push(await Gateway.at({ name, uri: replicaSet.uri, database: DATABASE, folder }));
  }
  await Promise.all(gateways.map((gateway) => gateway.start()));
  const ledger = new Ledger(join(folder, 'ledger.ndjson'));
  const client = new Client(gateways, ledger, random(seed + 10));
  const world = await makeWorld(client, random(seed + 20));
  const subscribers = subscribersOf(world, gateways);
  const following = subscribers.map((subscriber) => subscriber.run());
  const receivers = await receiversOf(client, (lane) => random(seed + lane));
  say(
    `MongoDB ${replicaSet.version}: three members, two gateways; faults for ${minutes} minutes with the seed ${seed}.`,
  );

  const faults = new Faults({ replicaSet, gateways, ledger, leastKills, random: (lane) => random(seed + lane) });
  const over = faults.lasting(minutes * 60_000);
  const began = ledger.now();
  const writing = runWriters(world, over);
  await faults.run(over);
  const settled = ledger.now();
  say(`The faults are over: ${[...faults.counts].map(([fault, count]) => `${fault} ${count}`).join(', ')}.`);
  await Promise.race([writing, sleep(SETTLE_MS)]);
  client.giveUp();
  await writing;

  const mongo = await MongoClient.connect(replicaSet.uri, { readConcern: { level: 'majority' } });
  try {
    const { intents } = ledger;
    const evidence = {
      mongo,
      db: mongo.db(DATABASE),
      client,
      world,
      intents,
      subscribers,
      receivers,
      ...deletionsOf(intents),
    };
    await untilSwept(evidence, { say, isDueAtOnce: isShort === true });
    await untilTold(world, subscribers);
    await untilDelivered(evidence.db, receivers);
    for (const subscriber of subscribers) subscriber.stop();
    await Promise.all(following);
    const findings = await checkAll(evidence, random(seed + 30));
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    return reportOf({
      seed,
      mongodb: replicaSet.version,
      intents,
      faults: faults.counts,
      crashes: gateways.reduce((sum, { crashes, lateStops }) => sum + crashes + lateStops, 0),
      began,
      ended: settled,
      subscriptions: {
        streams: subscribers.reduce((sum, { connections }) => sum + connections, 0),
        events: subscribers.reduce((sum, { told }) => sum + told.length, 0),
      },
      deliveries: {
        messages: receivers.reduce((sum, { taken }) => sum + taken.length, 0),
        doubled: receivers.reduce((sum, { doubled }) => sum + doubled, 0),
      },
      findings,
    });
  } finally {
    for (const receiver of receivers) receiver.close();
    await mongo.close();
  }
}

/** Two receivers of webhooks, one of them unsteady. */
const receiversOf = (client: Client, chance: (lane: number) => Random): Promise<WebhookReceiver[]> =>
  Promise.all([
    WebhookReceiver.start(client, chance(40), { isSteady: true }),
    WebhookReceiver.start(client, chance(50), { isSteady: false }),
  ]);

function subscribersOf({ workspaces, random: chance }: World, gateways: readonly Gateway[]): Subscriber[] {
  const [first = ''] = workspaces;
  return [
    new Subscriber(gateways, chance, { as: 'client', workspace: first }),
    new Subscriber(gateways, chance, { as: 'vendor' }),
    new Subscriber(gateways, chance, { as: 'client', types: ['svc.inspection.qualityResult'] }),
  ];
}

/** A last document of each type that somebody follows: who was told of it was told of everything before it. */
async function untilTold({ client, workspaces }: World, subscribers: readonly Subscriber[]): Promise<void> {
  const [workspace = ''] = workspaces;
  const job = await client.ask('POST', `/workspaces/${workspace}/jobs`, { body: { chaos: 'the last job' } });
  const body = {
    ...{ status: 'preliminary', setNumber: 1, sample: { location: 'SHIP' }, result: '1', chaos: 'the last result' },
    ...{ test: { name: 'Density' }, method: { name: 'ASTM D4052' }, uom: { name: 'kg/m3' } },
  };
  const path = `/workspaces/${workspace}/jobs/${job.id}/quality`;
  const last = await client.ask('POST', path, { as: 'vendor', body });
  const isTold = ({ told }: Subscriber): boolean => told.some(({ documentId }) => documentId === last.id);
  for (const end = performance.now() + TELL_MS; performance.now() < end && !subscribers.every(isTold); )
    await sleep(100);
}
