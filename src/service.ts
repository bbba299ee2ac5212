import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from './app.ts';
import { ALL_TASKS, startTasks } from './background-tasks.ts';
import type { Config } from './config.ts';
import { putDemoPrincipals } from './demo/principals.ts';
import { seedDemo } from './demo/seed.ts';
import { type ClockAndIds, SYSTEM_CLOCK_AND_IDS } from './domain/request/clock-and-ids.ts';
import type { Gateway } from './gateway.ts';
import type { Log } from './log.ts';
import { StopSteps } from './process/stop-steps.ts';
import { connectStores, type Stores } from './store/stores.ts';
import { untilStopped } from './store/until-stopped.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { logSlow } from './telemetry/slow.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** How long running requests may take to finish after a stop was requested. */
const GRACE_MS = 10_000;
/** How often newly idle connections are closed during a stop. */
const IDLE_MS = 100;

/** The running service on a port, in one process or several. */
export interface Serving {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /** The version of the MongoDB server. */
  readonly mongodb: string;
  /** Accepts no more requests, lets running ones finish (up to 10 s), and closes the database connections; never rejects. */
  stop(steps?: StopSteps): Promise<void>;
}

/** A gateway that serves in this process. */
export interface Service extends Serving {
  readonly stores: Stores;
  readonly gateway: Gateway;
}

/** What a service is started with. */
export interface ServiceParts {
  readonly config: Config;
  /** The database to use. */
  readonly uri: string;
  readonly log: Log;
  readonly sources?: ClockAndIds;
  /** Aborts the start with its reason; a service that has started is stopped by its own `stop`. */
  readonly stopped?: AbortSignal | undefined;
  /** Set if metrics are collected for this process. */
  readonly metrics?: Metrics | undefined;
  /** Set if this process is traced. */
  readonly tracing?: Tracing | undefined;
}

/** Connects, seeds the demo, and listens; throws if any of these fails, leaving nothing open. */
export async function startService({
  config,
  uri,
  log,
  sources: given,
  stopped,
  metrics,
  tracing,
}: ServiceParts): Promise<Service> {
  const stores = await connectStores({
    uri,
    database: config.mongodbDatabase,
    migrations: log,
    stopped,
    outages: log,
    auditTtlDays: config.auditTtlDays,
    quotas: config.quotas,
    statisticsReadPreference: config.statisticsReadPreference,
  });
  const sources = given ?? { ...SYSTEM_CLOCK_AND_IDS, now: () => stores.clock.now() };
  try {
    if (config.environment === 'demo') {
      await untilStopped(putDemo(stores, sources.now(), log), stopped);
    }
    stopped?.throwIfAborted();
    const mongodb = await stores.version(); // before serving requests, so that a failed start interrupts none
    let isStopping = false;
    const { gateway, server } = createApp({ config, stores, log, sources, isStopping: () => isStopping, tracing });
    const endSlowLog = logSlow(log, config.slowMs);
    metrics?.add(stores);
    await listen(server, config);
    const endTasks = startTasks(ALL_TASKS, { config, stores, log, now: () => sources.now() });
    const { address, family, port } = server.address() as AddressInfo;
    return {
      url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
      mongodb,
      stores,
      gateway,
      stop: async (steps = new StopSteps(log)) => {
        isStopping = true;
        await sleep(config.drainSeconds * 1_000);
        stores.eventTail.close();
        await Promise.all([steps.run('requests', closeServer(server)), endTasks(steps)]);
        await Promise.all([
          steps.run('the connections to MongoDB', stores.close()),
          steps.run('the last traces', tracing?.close()),
        ]);
        endSlowLog();
      },
    };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function putDemo(stores: Stores, now: Date, log: Log): Promise<void> {
  await putDemoPrincipals(stores, now);
  await seedDemo(stores, (line) => log.info(line));
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason = CANNOT_LISTEN[error.code ?? ''] ?? error.message;
    throw new Error(`The service cannot listen on HOST=${host} PORT=${port}: ${reason}.`, { cause: error });
  });
}

const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has this port. Stop that one, or set PORT to another number',
  EACCES: 'this user may not use the port. Set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine does not have the address. Set HOST to one that it has, or to 0.0.0.0',
  ENOTFOUND: 'this host is unknown. Set HOST to an address of this machine',
};

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS); // connections that have become idle since
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
