import { type Config, readConfig } from './config.ts';
import { DEMO_KEYS, DEMO_USER } from './demo/principals.ts';
import { projectCacheDir as cacheDir, type Embedded, startEmbedded } from './embedded-mongod/server.ts';
import { knownHosts } from './http/known-hosts.ts';
import { createLog, type Log } from './log.ts';
import { warnAtFileLimit } from './process/file-limit.ts';
import { tuneHeap } from './process/heap-tuning.ts';
import { returnIdleMemory } from './process/idle-memory.ts';
import { STOP_SIGNALS } from './process/stop-signals.ts';
import { DATABASE_STOP_MS, SERVING_STOP_MS, StopSteps } from './process/stop-steps.ts';
import { stopOnUncaught } from './process/uncaught.ts';
import { startWorkers } from './process/workers.ts';
import { type ServiceParts, type Serving, startService } from './service.ts';
import { toldError } from './store/without-values.ts';
import { serveProcessMetrics, startMetrics } from './telemetry/process-metrics.ts';
import { startTracing } from './telemetry/start-tracing.ts';
import { VERSION } from './version.ts';

tuneHeap();
try {
  await main(readConfig(process.env));
} catch (error) {
  process.stderr.write(`${toldError(error)}\n`);
  if (process.env.LOG_LEVEL === 'debug') console.error(error);
  process.exitCode = 1;
}

/** Starts the database if none is given, then the service, and stops both on a signal, even one during the start. */
async function main(config: Config): Promise<void> {
  const log = createLog(config);
  let startingDatabase: Promise<Embedded> | undefined;
  let embedded: Embedded | undefined;
  let starting: Promise<Serving> | undefined;
  const ending = new AbortController();
  let stopping: Promise<void> | undefined;
  const stopInOrder = async (reason: string) => {
    log.info({ reason }, 'stopping');
    const steps = new StopSteps(log);
    await steps.run(
      'the note in the lock',
      Promise.try(() => embedded?.announceStop()),
    );
    ending.abort();
    const started = starting?.catch(() => undefined); // the failure is reported where the start is awaited
    const stopServing = async () => {
      await steps.run('the start', started);
      await (await started)?.stop(steps);
    };
    await steps.within(SERVING_STOP_MS + config.drainSeconds * 1_000, stopServing());
    const stopDatabase = async () => (await startingDatabase?.catch(() => undefined))?.stop();
    await steps.within(DATABASE_STOP_MS, steps.run('the embedded mongod', stopDatabase()));
    if (!steps.complete) process.exitCode = 1;
    log.info('stopped');
    process.exit(); // whatever is still open
  };
  const stop = (reason: string): Promise<void> => (stopping ??= stopInOrder(reason));
  // A signal to the whole process group arrives twice: from its sender, and forwarded by the launcher.
  for (const signal of STOP_SIGNALS) process.on(signal, () => void stop(signal));
  const isMeasured = config.metrics.port !== 0;
  const metrics = isMeasured && config.workers === 1 ? startMetrics() : undefined;
  const metricsServer = await serveProcessMetrics(metrics, { ...config.metrics, hosts: knownHosts(config) }, log);
  if (!config.mongodbUri) {
    startingDatabase = startEmbedded({
      dataDir: config.dataDir,
      cacheDir,
      env: { ...process.env, MONGOD_BINARY: config.mongodBinary },
      log: say,
      supervision: log,
      stopped: ending.signal,
    });
    embedded = await startingDatabase.catch((error: unknown) => {
      if (!stopping) throw error;
      return undefined;
    });
    if (stopping) return stopping;
  }
  void embedded?.ended.then((failure) => {
    if (stopping || failure === undefined) return;
    log.fatal(`${failure.message}; the service stops`);
    process.exitCode = 1;
    return stop('the database ended');
  });
  const tracing = config.workers === 1 ? await startTracing(config.traces, log) : undefined;
  const start: (parts: ServiceParts) => Promise<Serving> = config.workers > 1 ? startWorkers : startService;
  const uri = config.mongodbUri ?? embedded?.uri ?? '';
  starting = start({ config, uri, log, stopped: ending.signal, metrics, tracing });
  const service = await starting.catch(async (error: unknown) => {
    if (stopping) return;
    const explained = embedded ? await embedded.explained(error) : error;
    await embedded?.stop();
    throw explained;
  });
  if (stopping || !service) return stopping;
  announce(embedded, service.url, log);
  stopOnUncaught(log, () => stop('an uncaught error'));
  greet(config, service, metricsServer?.url);
  returnIdleMemory(log);
  warnAtFileLimit(log);
}

/** The address in the lock is only informative: a gateway that cannot write it still serves. */
function announce(embedded: Embedded | undefined, url: string, log: Log): void {
  try {
    embedded?.announce(url);
  } catch (error) {
    log.warn({ err: error }, 'the lock of the data folder does not say where this gateway serves');
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function greet(config: Config, { url, mongodb }: Serving, metrics: string | undefined): void {
  const base = config.hasBaseUrl ? config.baseUrl : url;
  say(`MongoDB ${mongodb}, ${config.mongodbUri ? 'from MONGODB_URI' : `embedded, data in ${config.dataDir}`}.`);
  say(`GraphQL and GraphiQL   ${base}/graphql`);
  say(`OpenAPI                ${base}/openapi.json`);
  say(`Health                 ${base}/bridge/v1/health`);
  if (metrics !== undefined) say(`Metrics                ${metrics}`);
  if (config.environment === 'demo') {
    say('Demo keys, sent as "Authorization: Bearer <key>":');
    for (const { key, name } of DEMO_KEYS) say(`  ${key.padEnd(18)} ${name}`);
    say(`Demo user, who signs in at ${base}/api/rest/1.0/session: ${DEMO_USER.username} / ${DEMO_USER.password}`);
  }
  say(`Ready: the inspection exchange ${VERSION} (${config.environment}) serves ${base}`);
}
